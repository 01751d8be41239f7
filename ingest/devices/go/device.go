// Sends a reading to Millrace, and tries again where it is asked to. Needs Go 1.19 or later, and the standard library alone.
//
//	MILLRACE_EDGE=http://localhost:8081 MILLRACE_KEY=<key of the thing> go run device.go
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"time"
)

const (
	triesMax       = 8
	waitSecondsMax = 60
)

type record struct {
	Name  string  `json:"n"`
	Unit  string  `json:"u,omitempty"`
	Time  float64 `json:"t"`
	Value float64 `json:"v"`
}

var client = &http.Client{Timeout: 15 * time.Second}

// Seeded: before Go 1.20 all devices would wait equally long otherwise.
var random = rand.New(rand.NewSource(time.Now().UnixNano()))

// wait is as long as the server asks for, and otherwise longer after each try; not for all devices at once.
func wait(attempt int, retryAfter string) time.Duration {
	seconds, err := strconv.ParseFloat(retryAfter, 64)
	if err != nil {
		seconds = math.Pow(2, float64(attempt))
	}
	seconds = math.Min(seconds, waitSecondsMax) * (1 + random.Float64()/4)
	return time.Duration(seconds * float64(time.Second))
}

// send returns nil once the records are on the server's disk.
func send(edge, key string, records []record) error {
	body, err := json.Marshal(records)
	if err != nil {
		return err
	}
	for attempt := 0; attempt < triesMax; attempt++ {
		request, err := http.NewRequest("POST", edge+"/http/messages", bytes.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Thing "+key)
		request.Header.Set("Content-Type", "application/senml+json")
		retryAfter := ""
		answer, err := client.Do(request)
		// Without an answer it may have arrived: the same time makes a second copy easy to tell.
		if err == nil {
			text, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			switch answer.StatusCode {
			case http.StatusAccepted:
				return nil
			case http.StatusTooManyRequests, http.StatusServiceUnavailable:
				retryAfter = answer.Header.Get("Retry-After")
			default:
				return fmt.Errorf("refused: %d %s", answer.StatusCode, text)
			}
		}
		time.Sleep(wait(attempt, retryAfter))
	}
	return fmt.Errorf("not sent after %d tries", triesMax)
}

func main() {
	now := float64(time.Now().UnixMilli()) / 1000
	reading := []record{{Name: "temperature", Unit: "Cel", Time: now, Value: 21.5}}
	if err := send(os.Getenv("MILLRACE_EDGE"), os.Getenv("MILLRACE_KEY"), reading); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(202)
}
