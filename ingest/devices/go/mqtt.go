// Sends a reading to Millrace over MQTT 3.1.1, and tries again until it is on the server's disk. Needs Go 1.19 or later,
// and the standard library alone.
//
//	MILLRACE_HOST=localhost MILLRACE_MQTT_PORT=1883 MILLRACE_KEY=<key of the thing> go run mqtt.go
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"os"
	"time"
)

const (
	triesMax          = 8
	waitMax           = 60 * time.Second
	timeout           = 15 * time.Second
	packetID          = 1
	serverUnavailable = 3
)

type record struct {
	Name  string  `json:"n"`
	Unit  string  `json:"u,omitempty"`
	Time  float64 `json:"t"`
	Value float64 `json:"v"`
}

// Seeded: before Go 1.20 all devices would wait equally long otherwise.
var random = rand.New(rand.NewSource(time.Now().UnixNano()))

// errRefused: the server will never take it as it is.
var errRefused = errors.New("refused")

func text(value string) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(value))), value...)
}

func packet(first byte, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	written := []byte{first}
	for length := len(body); ; {
		digit := byte(length % 128)
		length /= 128
		if length == 0 {
			written = append(written, digit)
			break
		}
		written = append(written, digit|128)
	}
	return append(written, body...)
}

// sendOnce returns without an error once PUBACK has come: the message is on the server's disk.
func sendOnce(address, key, clientID, topic string, payload []byte, again bool) error {
	connection, err := net.DialTimeout("tcp", address, timeout)
	if err != nil {
		return err
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	// A clean session, with a username and a password; a keep-alive of a minute.
	head := append(text("MQTT"), 4, 0xC2, 0, 60)
	connect := packet(0x10, head, text(clientID), text("internal"), text(key))
	if _, err := connection.Write(connect); err != nil {
		return err
	}
	answer := make([]byte, 4)
	if _, err := io.ReadFull(connection, answer); err != nil {
		return err
	}
	if code := answer[3]; code == serverUnavailable {
		return errors.New("the server is busy")
	} else if code != 0 {
		return fmt.Errorf("%w: CONNACK %d", errRefused, code)
	}
	first := byte(0x32) // QoS 1
	if again {
		first |= 0x08 // DUP: it may have arrived before
	}
	publish := packet(first, text(topic), []byte{0, packetID}, payload)
	if _, err := connection.Write(publish); err != nil {
		return err
	}
	if _, err := io.ReadFull(connection, answer); err != nil {
		return err
	}
	if !bytes.Equal(answer, []byte{0x40, 2, 0, packetID}) {
		return errors.New("no PUBACK")
	}
	_, err = connection.Write(packet(0xE0))
	return err
}

func send(address, key, topic string, records []record) error {
	payload, err := json.Marshal(records)
	if err != nil {
		return err
	}
	clientID := fmt.Sprintf("go-%x", random.Int63())
	for attempt := 0; attempt < triesMax; attempt++ {
		err = sendOnce(address, key, clientID, topic, payload, attempt > 0)
		if err == nil || errors.Is(err, errRefused) {
			return err
		}
		// It may have arrived. The same time makes a second copy easy to tell.
		wait := time.Second << attempt
		if wait > waitMax {
			wait = waitMax
		}
		time.Sleep(wait + time.Duration(random.Int63n(int64(wait)/4+1)))
	}
	return fmt.Errorf("not sent after %d tries: %w", triesMax, err)
}

func main() {
	port := os.Getenv("MILLRACE_MQTT_PORT")
	if port == "" {
		port = "1883"
	}
	now := float64(time.Now().UnixMilli()) / 1000
	readings := []record{{Name: "temperature", Unit: "Cel", Time: now, Value: 21.5}}
	address := net.JoinHostPort(os.Getenv("MILLRACE_HOST"), port)
	if err := send(address, os.Getenv("MILLRACE_KEY"), "readings", readings); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("acknowledged")
}
