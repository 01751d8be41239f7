// Sends readings to Millrace over any Arduino `Client` (WiFiClient, EthernetClient, TinyGsmClient, …), and
// tries again where it is asked to. For ESP32 and boards of that size. C++11, no other library.
#pragma once

#include <Arduino.h>
#include <Client.h>

namespace millrace {

const int triesMax = 8;
const unsigned long waitMsMax = 60000;
const unsigned long answerMsMax = 15000;

struct Answer {
  int status;            // 0: there was none
  long retryAfterSeconds; // -1: not said
};

// A line without its end; false where the connection is over or too slow.
inline bool readLine(Client &client, char *line, size_t size, unsigned long startMs) {
  size_t length = 0;
  while (millis() - startMs < answerMsMax) {
    if (client.available() <= 0) {
      if (!client.connected()) return false;
      delay(5);
      continue;
    }
    int c = client.read();
    if (c == '\n') {
      if (length > 0 && line[length - 1] == '\r') length--;
      line[length] = '\0';
      return true;
    }
    if (c >= 0 && length + 1 < size) line[length++] = (char)c;
  }
  return false;
}

// One POST on a connection of its own.
inline Answer post(Client &client, const char *host, uint16_t port, const char *key,
                   const char *senml) {
  Answer answer = {0, -1};
  if (!client.connect(host, port)) return answer;
  client.print("POST /http/messages HTTP/1.1\r\nHost: ");
  client.print(host);
  client.print("\r\nAuthorization: Thing ");
  client.print(key);
  client.print("\r\nContent-Type: application/senml+json\r\nConnection: close\r\nContent-Length: ");
  client.print((unsigned long)strlen(senml));
  client.print("\r\n\r\n");
  client.print(senml);
  unsigned long startMs = millis();
  char line[128];
  if (readLine(client, line, sizeof line, startMs) && strncmp(line, "HTTP/1.", 7) == 0) {
    answer.status = atoi(line + 9);
    while (readLine(client, line, sizeof line, startMs) && line[0] != '\0') {
      if (strncasecmp(line, "retry-after:", 12) == 0) answer.retryAfterSeconds = atol(line + 12);
    }
  }
  client.stop();
  return answer;
}

// As long as the server asks for, and otherwise longer after each try; not all devices at once.
inline unsigned long msToWait(int attempt, long retryAfterSeconds) {
  unsigned long ms = retryAfterSeconds >= 0 ? (unsigned long)retryAfterSeconds * 1000UL
                                            : 1000UL << attempt;
  if (ms > waitMsMax) ms = waitMsMax;
  return ms + (unsigned long)random((long)(ms / 4) + 1);
}

// Gives the last status: 202 means that the message is on the server's disk.
inline int send(Client &client, const char *host, uint16_t port, const char *key,
                const char *senml) {
  int status = 0;
  for (int attempt = 0; attempt < triesMax; attempt++) {
    Answer answer = post(client, host, port, key, senml);
    status = answer.status;
    // Refused for good, or done. Without an answer (0) it may have arrived: a time in the message
    // makes a second copy easy to tell.
    if (status != 0 && status != 429 && status != 503) return status;
    delay(msToWait(attempt, answer.retryAfterSeconds));
  }
  return status;
}

} // namespace millrace
