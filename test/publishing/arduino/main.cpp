// Runs the example for Arduino on a computer: MILLRACE_HOST, MILLRACE_PORT, MILLRACE_KEY.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "arduino.ino"

SerialPort Serial;
Network WiFi;

unsigned long millis() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned long)(now.tv_sec * 1000L + now.tv_nsec / 1000000L);
}
void delay(unsigned long ms) { usleep(ms * 1000); }
long random(long below) { return ::random() % below; }

int WiFiClient::connect(const char *host, uint16_t port) {
  socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  inet_pton(AF_INET, host, &to.sin_addr);
  if (::connect(socket, (sockaddr *)&to, sizeof to) == 0) return 1;
  stop();
  return 0;
}
size_t WiFiClient::print(const char *text) {
  ssize_t sent = ::send(socket, text, strlen(text), MSG_NOSIGNAL);
  return sent < 0 ? 0 : (size_t)sent;
}
size_t WiFiClient::print(unsigned long number) {
  char text[24];
  snprintf(text, sizeof text, "%lu", number);
  return print(text);
}
int WiFiClient::available() {
  char c;
  return recv(socket, &c, 1, MSG_PEEK | MSG_DONTWAIT) > 0 ? 1 : 0;
}
int WiFiClient::read() {
  unsigned char c;
  return recv(socket, &c, 1, 0) == 1 ? c : -1;
}
uint8_t WiFiClient::connected() {
  char c;
  return recv(socket, &c, 1, MSG_PEEK | MSG_DONTWAIT) != 0;
}
void WiFiClient::stop() {
  if (socket >= 0) close(socket);
  socket = -1;
}

int main() {
  setup();
  const char *senml = "[{\"n\":\"temperature\",\"u\":\"Cel\",\"v\":21.5}]";
  uint16_t port = (uint16_t)atoi(getenv("MILLRACE_PORT"));
  int status = millrace::send(client, getenv("MILLRACE_HOST"), port, getenv("MILLRACE_KEY"), senml);
  Serial.println(status);
  return status == 202 ? 0 : 1;
}
