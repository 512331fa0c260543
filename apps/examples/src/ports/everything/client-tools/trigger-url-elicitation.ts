import { defineTool, elicitUrl, type McpServer, UrlElicitationRequired } from '@jetway/core'
import { z } from 'zod'
import { hasSession, sessionOf } from '../session.ts'
import { ACTS } from '../tools/hints.ts'

const PREREQUISITE = 'Open this link to satisfy the prerequisite, then retry the request.'

const INPUT = z.object({
  url: z.url().describe('The URL the user should open'),
  message: z
    .string()
    .default('Please open the link to complete this action.')
    .describe('Message shown to the user before opening the URL'),
  elicitationId: z
    .string()
    .optional()
    .describe('Optional explicit elicitation ID. Defaults to a random UUID.'),
  errorPath: z
    .boolean()
    .default(false)
    .describe(
      'Controls which elicitation mechanism is used. ' +
        'When false (default), sends an elicitation/create request (request path). ' +
        'When true, throws a UrlElicitationRequiredError (MCP error code -32042) so the client handles ' +
        'the URL elicitation via the error path rather than waiting for a response. ' +
        'To clear the error, satisfy the prerequisite and retry this call with the same arguments; the ' +
        'retry ignores errorPath and proceeds, so the client does not loop on the same error.',
    ),
})

/** Asks inside the handler, because the result contains the question's id. */
export function triggerUrlElicitation(server: McpServer) {
  /**
   * The calls that failed with the URL elicitation error, by session. A call that is repeated after the error
   * asks the user.
   */
  const refused = new Map<string, Set<string>>()
  server.on('session:close', ({ sessionId }) => void refused.delete(sessionId))
  return defineTool({
    name: 'trigger-url-elicitation',
    title: 'Trigger URL Elicitation Tool',
    description:
      'Trigger a URL elicitation so the client can direct the user to a browser flow. ' +
      "Supports two mechanisms: the request path (elicitation/create, default) which awaits the user's " +
      'response, and the error path (UrlElicitationRequiredError, -32042) which signals the client ' +
      'to handle URL elicitation via the error response. Set errorPath=true to use the error path.',
    inputSchema: INPUT,
    annotations: { ...ACTS, openWorldHint: true },
    visible: (ctx) => hasSession(ctx) && ctx.client.supports('elicitation.url'),
    async handler({ url, message, elicitationId, errorPath }, ctx) {
      const session = sessionOf(ctx).id
      const calls = refused.get(session) ?? new Set()
      refused.set(session, calls)
      const call = `${url}\0${elicitationId ?? ''}`
      if (errorPath && !calls.delete(call)) {
        calls.add(call)
        throw new UrlElicitationRequired(elicitUrl(PREREQUISITE, 'https://modelcontextprotocol.io'))
      }
      let id = ''
      const remember = (given: string) => {
        id = given
        return url
      }
      const answer = await ctx.elicitUrl(message, remember, { declined: 'see' })
      const text = {
        accept: `✅ User completed the URL elicitation flow.\nElicitation ID: ${id}\nURL: ${url}`,
        decline: `❌ User declined to open the URL (Elicitation ID: ${id}).`,
        cancel: `⚠️ User cancelled the URL elicitation (Elicitation ID: ${id}).`,
      }[answer.action]
      return {
        content: [
          { type: 'text', text },
          { type: 'text', text: `\nRaw result: ${JSON.stringify(answer, null, 2)}` },
        ],
      }
    },
  })
}
