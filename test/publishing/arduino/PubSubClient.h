#pragma once
#include <Client.h>

// The states of PubSubClient 2.8 that the example looks at.
#define MQTT_DISCONNECTED -1
#define MQTT_CONNECTED 0
#define MQTT_CONNECT_BAD_CREDENTIALS 4
#define MQTT_CONNECT_UNAUTHORIZED 5

// As much of PubSubClient's interface as the example uses, with QoS 0, over a socket of the computer's.
class PubSubClient {
  int socket = -1;
  int last = MQTT_DISCONNECTED;

public:
  explicit PubSubClient(Client &) {}
  PubSubClient &setServer(const char *, uint16_t) { return *this; }
  bool setBufferSize(uint16_t) { return true; }
  bool connect(const char *id, const char *user, const char *password);
  bool connected() { return socket >= 0; }
  bool publish(const char *topic, const char *payload);
  bool loop() { return connected(); }
  int state() { return last; }
};
