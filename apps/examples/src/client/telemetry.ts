// #region client
import { Client } from '@jetway/client'
import { ClientManager } from '@jetway/client/manager'
import { telemetry } from '@jetway/otel'

const info = { name: 'host', version: '1.0.0' }
export const client = new Client(info, { telemetry: telemetry() })
export const manager = new ClientManager(info, { client: { telemetry: telemetry() } })
// #endregion
