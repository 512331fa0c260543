import { defineTool, listRoots, type McpServer, type Root } from '@jetway/core'
import { READS } from '../tools/hints.ts'

const NONE = `The client supports roots but no roots are currently configured.

This could mean:
1. The client hasn't provided any roots yet
2. The client provided an empty roots list
3. The roots configuration is still being loaded`

const NOTE =
  "Note: This server demonstrates the roots protocol capability but doesn't actually access files. The roots are provided by the MCP client and can be used by servers that need file system access."

/** Asks for the roots on the first call in a session, and on the first call after the roots have changed. */
export function getRootsList(server: McpServer) {
  const known = new Map<string, readonly Root[]>()
  server.on('roots:change', ({ sessionId }) => void known.delete(sessionId))
  server.on('session:close', ({ sessionId }) => void known.delete(sessionId))
  return defineTool({
    name: 'get-roots-list',
    title: 'Get Roots List Tool',
    description:
      "Lists the current MCP roots provided by the client. Demonstrates the roots protocol capability even though this server doesn't access files.",
    annotations: READS,
    visible: ({ client }) => client.supports('roots'),
    asks: { roots: (_args, { session }) => known.get(session?.id ?? '') ?? listRoots() },
    handler(_args, { answers: { roots }, log, session }) {
      if (session !== undefined && !known.has(session.id)) {
        known.set(session.id, roots)
        log.info(`Roots updated: ${roots.length} root(s) received from client`, 'everything-server')
      }
      if (roots.length === 0) return { content: [{ type: 'text', text: NONE }] }
      const list = roots.map(({ name, uri }, i) => `${i + 1}. ${name || 'Unnamed Root'}\n   URI: ${uri}`)
      const text = `Current MCP Roots (${roots.length} total):\n\n${list.join('\n\n')}\n\n${NOTE}`
      return { content: [{ type: 'text', text }] }
    },
  })
}
