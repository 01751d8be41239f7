#pragma once
#include <Client.h>

enum { WL_CONNECTED = 3 };

struct Network {
  void begin(const char *, const char *) {}
  int status() { return WL_CONNECTED; }
};
extern Network WiFi;

// Over a socket of the computer's.
class WiFiClient : public Client {
  int socket = -1;

public:
  int connect(const char *host, uint16_t port) override;
  size_t print(const char *text) override;
  size_t print(unsigned long number) override;
  int available() override;
  int read() override;
  uint8_t connected() override;
  void stop() override;
};
