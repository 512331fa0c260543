// #region server
import { McpServer } from '@jetway/core'
import { telemetry } from '@jetway/otel'

export const server = new McpServer({ name: 'weather', version: '1.0.0' }, { telemetry: telemetry() })
// #endregion

server.addTool({ name: 'forecast', description: 'Tells the weather', handler: () => 'Sunny' })

// #region public
export const publicServer = new McpServer(
  { name: 'weather', version: '1.0.0' },
  { telemetry: telemetry({ remoteParent: 'link' }) },
)
// #endregion

// #region shutdown
export async function stop(tracing: { shutdown(): Promise<void> }): Promise<void> {
  await server.close()
  await tracing.shutdown()
}
// #endregion
