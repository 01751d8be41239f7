// An ESP32 that sends a reading a minute. Set these four:
#include <WiFi.h>
#include "millrace.h"

const char *ssid = "my network";
const char *password = "its password";
const char *edge = "192.168.1.10"; // the address of the edge
const char *key = "the key of the thing";

WiFiClient client;

void setup() {
  Serial.begin(115200);
  WiFi.begin(ssid, password);
  while (WiFi.status() != WL_CONNECTED) delay(500);
}

void loop() {
  char senml[96];
  snprintf(senml, sizeof senml, "[{\"n\":\"temperature\",\"u\":\"Cel\",\"v\":%.1f}]", 21.5);
  int status = millrace::send(client, edge, 8081, key, senml);
  Serial.println(status);
  delay(60000);
}
