// An ESP32 that sends a reading a minute over MQTT, with the library PubSubClient. It sends with QoS 0 alone: nobody tells
// the device whether a message arrived. Where each must arrive, use the sketch `arduino`, over HTTP. Set these four:
#include <PubSubClient.h>
#include <WiFi.h>

const char *ssid = "my network";
const char *password = "its password";
const char *edge = "192.168.1.10"; // the address of the edge
const char *key = "the key of the thing";

const char *clientId = "thermometer-1";

WiFiClient wifi;
PubSubClient client(wifi);

void setup() {
  Serial.begin(115200);
  WiFi.begin(ssid, password);
  while (WiFi.status() != WL_CONNECTED) delay(500);
  client.setServer(edge, 1883);
  client.setBufferSize(512);
}

// Connects again where the connection was lost, with longer pauses.
bool connected() {
  unsigned long waitMs = 1000;
  while (!client.connected()) {
    if (client.connect(clientId, "internal", key)) return true;
    // A wrong key: trying again does not help.
    if (client.state() == MQTT_CONNECT_BAD_CREDENTIALS || client.state() == MQTT_CONNECT_UNAUTHORIZED)
      return false;
    delay(waitMs + (unsigned long)random(250));
    if (waitMs < 60000) waitMs *= 2;
  }
  return true;
}

bool sendReading() {
  char senml[96];
  snprintf(senml, sizeof senml, "[{\"n\":\"temperature\",\"u\":\"Cel\",\"v\":%.1f}]", 21.5);
  return connected() && client.publish("readings", senml);
}

void loop() {
  Serial.println(sendReading() ? "sent" : "not sent");
  // Answers of the edge are read meanwhile, and the connection is kept alive.
  for (int second = 0; second < 60; second++) {
    client.loop();
    delay(1000);
  }
}
