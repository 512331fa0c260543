import { defineTool, type McpServer } from '@jetway/core'
import { hasSession, Pulses, sessionOf } from '../session.ts'
import { ACTS } from './hints.ts'

/** Announces updates of the resources to which a session has subscribed. */
export function toggleSubscriberUpdates(server: McpServer) {
  const pulses = new Pulses()
  const subscribed = new Map<string, Set<string>>()
  server.use('resources/subscribe', async (ctx, next) => {
    const { uri } = ctx.message.params
    ctx.log.info(`Received Subscribe Resource request for URI: ${uri} `)
    const result = await next()
    const { id } = sessionOf(ctx)
    subscribed.set(id, (subscribed.get(id) ?? new Set()).add(uri))
    return result
  })
  server.use('resources/unsubscribe', (ctx, next) => {
    const { uri } = ctx.message.params
    ctx.log.info(`Received Unsubscribe Resource request: ${uri} `)
    subscribed.get(sessionOf(ctx).id)?.delete(uri)
    return next()
  })
  server.on('session:close', ({ sessionId }) => {
    pulses.stop(sessionId)
    subscribed.delete(sessionId)
  })
  return defineTool({
    name: 'toggle-subscriber-updates',
    title: 'Toggle Subscriber Updates',
    description: 'Toggles simulated resource subscription updates on or off.',
    annotations: ACTS,
    visible: hasSession,
    handler(_args, ctx) {
      const { id } = sessionOf(ctx)
      const announce = () => subscribed.get(id)?.forEach((uri) => server.notify.resourceUpdated(uri))
      const text = pulses.toggle(id, announce)
        ? `Started simulated resource updated notifications for session ${id} at a 5 second pace. Client will receive updates for any resources the it is subscribed to.`
        : `Stopped simulated resource updates for session ${id}`
      return { content: [{ type: 'text', text }] }
    },
  })
}
