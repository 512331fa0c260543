import { ErrorCode, McpError, missingCapability, usageError } from '../../errors.ts'
import type { Revision } from '../../protocol/revisions/revision.ts'
import type { ClientView } from '../client-view.ts'
import type { SessionSettings } from '../context.ts'
import { urlParams } from './encode-question.ts'
import { randomToken } from '../../util/random.ts'
import { isQuestion, partsOf, type Question, urlOf, type UrlParts } from './question.ts'

/** Addresses of one error; a person opens few. */
const MAX_URLS = 16

/**
 * Thrown by a handler or a middleware: the call can succeed when the user has been to these addresses, and the client
 * then sends it again. In 2025-11-25 clients that can open addresses get the error `-32042` with them, and may hear from
 * `server.completeElicitation` that the user is done. From 2026-07-28 on they are asked as in any other round; the call
 * that comes back runs from the start, and if it throws this again, once more when `server.completeElicitation` says
 * that the user is done; after 45 s without that they are asked anew. Others read the addresses in a text: as `isError`
 * in a tool, as a JSON-RPC error elsewhere.
 *
 * Unlike `elicitUrl` among a tool's `asks`, this also works in a session whose replies are JSON only.
 *
 * @throws `ERR_MCP_INVALID_DEFINITION` for anything but 1 to 16 questions of `elicitUrl`
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode-flow
 */
export class UrlElicitationRequired extends Error {
  readonly questions: readonly Question[]

  constructor(...questions: readonly Question[]) {
    super('The user has to open an address first')
    this.name = 'UrlElicitationRequired'
    const fit = questions.every((it) => isQuestion(it) && partsOf(it).kind === 'url')
    if (!fit || questions.length === 0 || questions.length > MAX_URLS) {
      throw usageError(
        'ERR_MCP_INVALID_DEFINITION',
        `UrlElicitationRequired takes 1 to ${MAX_URLS} questions of elicitUrl; ask other things by asks or inputRequired`,
      )
    }
    this.questions = questions
  }
}

interface Refused {
  readonly revision: Revision
  readonly client: ClientView
  readonly scope: { readonly settings?: SessionSettings }
}

/** The error for a client that opens addresses; undefined for others. Its session remembers whom to tell of the end. */
export function toUrlError(
  { questions }: UrlElicitationRequired,
  { revision, client, scope }: Refused,
): McpError | undefined {
  if (!revision.elicitationIds || !client.supports('elicitation.url')) return undefined
  const asked = questions.map((question) =>
    urlParams(partsOf(question) as UrlParts, randomToken(22), revision),
  )
  scope.settings?.addPendingUrls(asked.flatMap(({ elicitationId }) => elicitationId ?? []))
  return new McpError(ErrorCode.UrlElicitationRequired, 'The user has to open an address first', {
    elicitations: asked,
  })
}

/** What a client reads that cannot open addresses itself. */
export function describeUrls({ questions }: UrlElicitationRequired): string {
  const lines = questions.map((question) => {
    const parts = partsOf(question) as UrlParts
    return `- ${parts.message}: ${urlOf(parts, randomToken(22))}`
  })
  return [
    'The user has to open an address first, which this client cannot do for them. Show it, and call again when they are done:',
    ...lines,
  ].join('\n')
}

/** The same where there are no results with errors in them. */
export function toPlainError(error: UrlElicitationRequired, revision: Revision): McpError {
  const text = describeUrls(error)
  return revision.forms?.url === true
    ? missingCapability(text, { elicitation: { url: {} } })
    : new McpError(ErrorCode.InvalidRequest, text)
}
