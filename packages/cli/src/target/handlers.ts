import { fillForm, sanitize, sanitizeLine } from '@jetway-apps/terminal'
import type { ClientHandlers, HandlerContext } from '@jetway/client'
import { McpError } from '@jetway/core/protocol'
import { askerFor } from '../ask.ts'
import type { Terminal } from '../terminal.ts'

/**
 * Lets the user answer the server's questions if there is a terminal, and otherwise declines them. Always
 * declines sampling, because this command has no model.
 */
export function handlersFor(terminal: Terminal): ClientHandlers {
  return {
    ...(terminal.interactive ? asking(terminal) : declining(terminal)),
    sample: declineSampling(terminal),
  }
}

function asking(terminal: Terminal): ClientHandlers {
  const { use } = askerFor(terminal)
  return {
    elicit: (request, ctx) =>
      use((asker) => fillForm(request, { name: nameOf(ctx), signal: ctx.signal, terminal: asker })),
    elicitUrl: ({ message, url }, ctx) =>
      use(async (asker) => {
        const prompt = `\n${nameOf(ctx)} asks you to open a URL: ${sanitize(message)}\n  ${sanitize(url)}\n`
        const line = await asker.ask(`${prompt}Will you open it in your browser? [y/N] `, {
          signal: ctx.signal,
        })
        if (line === undefined) return { action: 'cancel' }
        return { action: /^y(es)?$/i.test(line.trim()) ? 'accept' : 'decline' }
      }),
  }
}

function declining(terminal: Terminal): ClientHandlers {
  const decline = (message: string) => {
    note(terminal, `declined, because there is no terminal: ${sanitizeLine(message, 200)}`)
    return { action: 'decline' } as const
  }
  return { elicit: ({ message }) => decline(message), elicitUrl: ({ message }) => decline(message) }
}

/** https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling */
const declineSampling =
  (terminal: Terminal): NonNullable<ClientHandlers['sample']> =>
  () => {
    note(terminal, 'declined a request for sampling: this client has no model')
    throw new McpError(-1, 'User rejected sampling request')
  }

function note(terminal: Terminal, text: string): void {
  if (!terminal.json) terminal.note(terminal.noteColour('dim', text))
}

const nameOf = ({ name, server }: HandlerContext): string =>
  sanitizeLine(name ?? server?.name ?? 'The server', 80)
