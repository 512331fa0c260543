import { defineTool, type McpServer } from '@jetway/core'
import { hasSession, Pulses, sessionOf } from '../session.ts'
import { ACTS } from './hints.ts'

/** Sends a log message of a random level every five seconds. */
export function toggleSimulatedLogging(server: McpServer) {
  const pulses = new Pulses()
  server.on('session:close', ({ sessionId }) => void pulses.stop(sessionId))
  return defineTool({
    name: 'toggle-simulated-logging',
    title: 'Toggle Simulated Logging',
    description: 'Toggles simulated, random-leveled logging on or off.',
    annotations: ACTS,
    visible: hasSession,
    handler(_args, ctx) {
      const { id } = sessionOf(ctx)
      const text = pulses.toggle(id, () => {})
        ? `Started simulated, random-leveled logging for session ${id} at a 5 second pace. Client's selected logging level will be respected. If an interval elapses and the message to be sent is below the selected level, it will not be sent. Thus at higher chosen logging levels, messages should arrive further apart. `
        : `Stopped simulated logging for session ${id}`
      return { content: [{ type: 'text', text }] }
    },
  })
}
