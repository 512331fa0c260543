import { defineTool, type McpServer } from '@jetway/core'
import { hasSession, Pulses, sessionOf } from '../session.ts'
import { ACTS } from './hints.ts'

const MESSAGES = [
  ['debug', 'Debug-level message'],
  ['info', 'Info-level message'],
  ['notice', 'Notice-level message'],
  ['warning', 'Warning-level message'],
  ['error', 'Error-level message'],
  ['critical', 'Critical-level message'],
  ['alert', 'Alert level-message'],
  ['emergency', 'Emergency-level message'],
] as const

/** Sends a log message with a random level every five seconds. */
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
      const session = sessionOf(ctx)
      const { id } = session
      const { log } = server.forSession(session)
      const send = () => {
        const [level, text] = MESSAGES[Math.floor(Math.random() * MESSAGES.length)] ?? MESSAGES[0]
        log[level](`${text} - SessionId ${id}`)
      }
      const text = pulses.toggle(id, send)
        ? `Started simulated, random-leveled logging for session ${id} at a 5 second pace. Client's selected logging level will be respected. If an interval elapses and the message to be sent is below the selected level, it will not be sent. Thus at higher chosen logging levels, messages should arrive further apart. `
        : `Stopped simulated logging for session ${id}`
      return { content: [{ type: 'text', text }] }
    },
  })
}
