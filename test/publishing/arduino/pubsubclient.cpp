// Runs the example for PubSubClient on a computer: MILLRACE_HOST, MILLRACE_MQTT_PORT, MILLRACE_KEY.
#include <arpa/inet.h>
#include <string>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "pubsubclient.ino"

SerialPort Serial;
Network WiFi;

unsigned long millis() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned long)(now.tv_sec * 1000L + now.tv_nsec / 1000000L);
}
void delay(unsigned long ms) { usleep(ms * 1000); }
long random(long below) { return ::random() % below; }

// The example's WiFiClient is only handed over.
int WiFiClient::connect(const char *, uint16_t) { return 0; }
size_t WiFiClient::print(const char *) { return 0; }
size_t WiFiClient::print(unsigned long) { return 0; }
int WiFiClient::available() { return 0; }
int WiFiClient::read() { return -1; }
uint8_t WiFiClient::connected() { return 0; }
void WiFiClient::stop() {}

static std::string text(const char *value) {
  size_t length = strlen(value);
  return std::string{(char)(length >> 8), (char)length} + value;
}

static bool write(int socket, char first, const std::string &body) {
  std::string packet(1, first);
  size_t length = body.size();
  do {
    packet += (char)((length % 128) | (length > 127 ? 128 : 0));
    length /= 128;
  } while (length > 0);
  packet += body;
  return ::send(socket, packet.data(), packet.size(), MSG_NOSIGNAL) == (ssize_t)packet.size();
}

bool PubSubClient::connect(const char *id, const char *user, const char *password) {
  socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons((uint16_t)atoi(getenv("MILLRACE_MQTT_PORT")));
  inet_pton(AF_INET, getenv("MILLRACE_HOST"), &to.sin_addr);
  std::string head = text("MQTT") + std::string("\x04\xC2\x00\x0F", 4);
  // The sketch has a placeholder for the key.
  (void)password;
  std::string body = head + text(id) + text(user) + text(getenv("MILLRACE_KEY"));
  unsigned char answer[4] = {0, 0, 0, 3};
  if (::connect(socket, (sockaddr *)&to, sizeof to) == 0 && write(socket, 0x10, body)) {
    last = recv(socket, answer, sizeof answer, MSG_WAITALL) == 4 ? answer[3] : MQTT_DISCONNECTED;
  }
  if (last == MQTT_CONNECTED) return true;
  close(socket);
  socket = -1;
  return false;
}

bool PubSubClient::publish(const char *topic, const char *payload) {
  return write(socket, 0x30, text(topic) + payload);
}

int main() {
  setup();
  bool isSent = sendReading();
  Serial.println(isSent ? "sent" : "not sent");
  return isSent ? 0 : 1;
}
