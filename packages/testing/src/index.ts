export { type SseEvent, sseEvents, SseParser } from '@jetway/client/http'
export {
  type AskedQuestion,
  connect,
  type ConnectOptions,
  type ScriptedAnswers,
  TestClient,
} from './connect.ts'
export {
  type MatrixTransport,
  fetchTransport,
  httpTransport,
  type HttpMount,
  memoryTransport,
  type OpenTransport,
} from './matrix-transports.ts'
export { HttpStatusError, HttpTransport, type HttpTransportOptions } from './http-transport.ts'
export { type Cell, describeMatrix, type MatrixOptions, SESSION_REVISIONS } from './matrix.ts'
export { connectPeer, type PeerOptions, type RawResponse, type TestConnection } from './peer.ts'
export { type Fetch, type FetchRecording, recordFetch, type RecordedExchange } from './record-fetch.ts'
export {
  type RecordedFrame,
  type RecordingOptions,
  recordTransport,
  type TransportRecording,
} from './record-transport.ts'
