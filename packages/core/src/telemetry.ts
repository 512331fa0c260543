export type { Network } from './call/exchange.ts'
export type {
  CallObservation,
  CallOutcome,
  CallTelemetry,
  QuestionObservation,
  ReceivedCall,
  SentQuestion,
  ServedCall,
} from './call/observation/telemetry.ts'
export type { ObservedServer, Telemetry } from './session/telemetry.ts'
