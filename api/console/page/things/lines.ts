/** The first message of a device, ready to run: `key` is its own. */

const record = '{ "n": "temperature", "u": "Cel", "v": 21.5 }';

type Lines = { url: string; key: string };

export const languages = ['curl', 'python', 'arduino'] as const;
export type Language = (typeof languages)[number];

export const linesIn: Readonly<Record<Language, (lines: Lines) => string>> = {
  curl: ({ url, key }) => `curl -i '${url}' \\
  -H 'Authorization: Thing ${key}' \\
  -H 'Content-Type: application/senml+json' \\
  -d '[${record}]'`,

  python: ({ url, key }) => `import json, urllib.request

request = urllib.request.Request(
    "${url}",
    data=json.dumps([${record}]).encode(),
    headers={
        "Authorization": "Thing ${key}",
        "Content-Type": "application/senml+json",
    },
)
print(urllib.request.urlopen(request).status)  # 202: it is kept`,

  arduino: ({ url, key }) => `#include <WiFi.h>
#include <HTTPClient.h>

void setup() {
  Serial.begin(115200);
  WiFi.begin("network", "password");
  while (WiFi.status() != WL_CONNECTED) delay(200);
}

void loop() {
  HTTPClient http;
  http.begin("${url}");
  http.addHeader("Authorization", "Thing ${key}");
  http.addHeader("Content-Type", "application/senml+json");
  Serial.println(http.POST("[{\\"n\\":\\"temperature\\",\\"u\\":\\"Cel\\",\\"v\\":21.5}]"));  // 202: it is kept
  http.end();
  delay(10000);
}`,
};
