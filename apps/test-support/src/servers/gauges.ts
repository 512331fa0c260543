/** The gauges of a server or mount that holds nothing. */
export const NOTHING_HELD = {
  sessions: 0,
  openStreams: 0,
  queuedBytes: 0,
  callsInFlight: 0,
  tasks: 0,
  replayStreams: 0,
  replayEvents: 0,
  replayBytes: 0,
} as const
