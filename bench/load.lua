-- Sends the prepared requests in turn, as fast as the answers come, or `delay` milliseconds apart.
-- Arguments: the file of prepared bodies (a line: credential, tab, body), the delay.

local requests = {}
local next = 0
local pause = 0

function init(args)
  pause = tonumber(args[2] or "0")
  for line in io.lines(args[1]) do
    local credential, body = line:match("^([^\t]*)\t(.*)$")
    local headers = {
      ["Content-Type"] = "application/senml+json",
      ["Authorization"] = credential,
    }
    requests[#requests + 1] = wrk.format("POST", "/http/messages", headers, body)
  end
  -- Connections do not start with the same request.
  math.randomseed(os.time())
  next = math.random(#requests)
end

function request()
  next = next % #requests + 1
  return requests[next]
end

function delay()
  return pause
end

function done(summary, latency)
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"p50Us":%d,"p99Us":%d,"p999Us":%d,"refused":%d,"errors":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    latency:percentile(99.9), summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
