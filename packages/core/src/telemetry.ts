export type { Network } from './call/exchange.ts'
export { SafeTelemetry } from './call/observation/call-observers.ts'
export type {
  CallObservation,
  CallOutcome,
  CallTelemetry,
  ClientTelemetry,
  ClosedClientSession,
  ReceivedCall,
  SentFailure,
  SentObservation,
  SentRequest,
  SentResponse,
  ServedCall,
  ServerNetwork,
} from './call/observation/telemetry.ts'
export type { ObservedServer, Telemetry } from './server/options.ts'
