import { ErrorCode, McpError, type Revision } from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import type { Conversation } from '../conversation/conversation.ts'
import { ClientError, ConnectionClosedError, TransportError, UnsupportedRevisionError } from '../errors.ts'
import { openLegacy, type LegacySideOptions } from './legacy-side.ts'
import { discover, type Discovered, ModernSide, type ModernSideOptions } from './modern-side.ts'
import type { Side } from './side.ts'

export interface AgreeOptions
  extends Omit<LegacySideOptions, 'revisions'>, Omit<ModernSideOptions, 'revisions'> {
  readonly clock: Clock
  readonly modern: readonly Revision[]
  readonly legacy: readonly Revision[]
  /** Ms after which `initialize` is sent beside the question for the era. */
  readonly probeTimeoutMs: number
}

/** The server went away when it was asked for its era: it may be there for a client that does not ask. */
export class ProbeRefusedError extends ClientError {
  constructor(cause: unknown) {
    super('closed', 'The server ended the connection when it was asked for its era', { cause })
  }
}

/**
 * Finds out which era a server speaks, and begins to speak it. The newest is tried first; whatever does not answer as a
 * server of that era is taken for one of sessions.
 *
 * @throws ProbeRefusedError where another connection may succeed with `initialize` alone
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility
 */
export async function agree(conversation: Conversation, options: AgreeOptions): Promise<Side> {
  const { modern, legacy } = options
  if (modern.length === 0) return initializeWith(conversation, options)
  const how = { timeoutMs: options.timeoutMs, uncancellable: true }
  const over = new AbortController()
  const signal = either(options.signal, over.signal)
  const beaten = new AbortController()
  const onAnswer = (): void => beaten.abort(new Error('The server speaks without sessions'))
  const probing = discover(conversation, { ...options, revisions: modern }, { ...how, signal, onAnswer })
  if (legacy.length === 0) return new ModernSide(conversation, modernOptions(options), await probing)
  const probe = probing.then(toModern, (error: unknown) => toVerdict(error, options))
  try {
    const verdict = conversation.transport.perRequest
      ? await probe
      : await Promise.race([probe, after(options, probe)])
    if (verdict.kind === 'modern')
      return new ModernSide(conversation, modernOptions(options), verdict.discovered)
    if (verdict.kind === 'failed') throw verdict.error
    if (verdict.kind === 'legacy') return await initializeWith(conversation, options)
    return await firstToAnswer(
      conversation,
      { ...options, signal: either(options.signal, beaten.signal) },
      probe,
    )
  } finally {
    over.abort(new Error('The era is known'))
  }
}

type Verdict =
  | { readonly kind: 'modern'; readonly discovered: Discovered }
  | { readonly kind: 'legacy' }
  | { readonly kind: 'failed'; readonly error: unknown }

type Answered =
  | { readonly kind: 'opened'; readonly side: Side }
  | { readonly kind: 'modern'; readonly discovered: Discovered }
  | { readonly kind: 'failed'; readonly error: unknown }

const toModern = (discovered: Discovered): Verdict => ({ kind: 'modern', discovered })

/** Statuses that say nothing about eras: who asks, how often, and through what. */
const OF_THE_CALLER: readonly (number | undefined)[] = [401, 402, 403, 407, 429]

function toVerdict(error: unknown, { signal }: AgreeOptions): Verdict {
  if (signal?.aborted === true) return { kind: 'failed', error }
  if (error instanceof ConnectionClosedError) return { kind: 'failed', error: new ProbeRefusedError(error) }
  if (error instanceof McpError) return isModern(error) ? { kind: 'failed', error } : { kind: 'legacy' }
  if (error instanceof TransportError) {
    const { status = 0 } = error
    const unknown = status >= 400 && status < 500 && !OF_THE_CALLER.includes(status)
    return unknown ? { kind: 'legacy' } : { kind: 'failed', error }
  }
  // What a provider of credentials throws is about the user, who would be asked a second time.
  return error instanceof ClientError ? { kind: 'legacy' } : { kind: 'failed', error }
}

/** Only servers without sessions have these codes; the one for versions has been tried by now. */
const isModern = ({ code }: McpError): boolean =>
  code === ErrorCode.HeaderMismatch || code === ErrorCode.MissingClientCapability

function after(
  { clock, probeTimeoutMs }: AgreeOptions,
  probe: Promise<unknown>,
): Promise<{ readonly kind: 'silent' }> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(() => resolve({ kind: 'silent' }), probeTimeoutMs)
    void probe.then(() => clock.clearTimeout(timer))
  })
}

/** A process may still be starting, and answers both when it has. Servers of sessions may never answer the first. */
async function firstToAnswer(
  conversation: Conversation,
  options: AgreeOptions,
  probe: Promise<Verdict>,
): Promise<Side> {
  const opened: Promise<Answered> = initializeWith(conversation, options).then(
    (side) => ({ kind: 'opened', side }),
    (error: unknown) => ({ kind: 'failed', error }),
  )
  const modern = probe.then(async (verdict): Promise<Answered> =>
    verdict.kind === 'modern' ? verdict : opened,
  )
  const first = await Promise.race([opened, modern])
  // A refusal may still be followed by the other answer.
  const last = first.kind === 'failed' ? await modern : first
  if (last.kind === 'modern') return new ModernSide(conversation, modernOptions(options), last.discovered)
  if (last.kind === 'opened') return last.side
  throw last.error
}

const either = (first: AbortSignal | undefined, second: AbortSignal): AbortSignal =>
  first === undefined ? second : AbortSignal.any([first, second])

const modernOptions = (options: AgreeOptions): ModernSideOptions => ({
  ...options,
  revisions: options.modern,
})

async function initializeWith(conversation: Conversation, options: AgreeOptions): Promise<Side> {
  const { legacy } = options
  if (legacy.length === 0) throw new UnsupportedRevisionError('No revision with sessions is to be spoken', [])
  return openLegacy(conversation, { ...options, revisions: legacy })
}
