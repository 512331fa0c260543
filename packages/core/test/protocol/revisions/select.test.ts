import { expect, it } from 'vitest'
import { ErrorCode } from '../../../src/errors.ts'
import type { JsonObject } from '../../../src/protocol/jsonrpc.ts'
import { CLIENT_CAPABILITIES, PROTOCOL_VERSION } from '../../../src/protocol/methods.ts'
import { resolveRevisions, revisionOf } from '../../../src/protocol/revisions/index.ts'
import type { RevisionDate } from '../../../src/protocol/revisions/revision.ts'
import { selectRevision } from '../../../src/protocol/revisions/select.ts'

const NEW: RevisionDate = '2026-07-28'
const OLD: RevisionDate = '2025-11-25'
const EARLY: RevisionDate = '2024-11-05'
const BOTH = [NEW, OLD]

const meta = (version: unknown): JsonObject => ({
  _meta: { [PROTOCOL_VERSION]: version, [CLIENT_CAPABILITIES]: {} },
})
type SelectionInput = Parameters<typeof selectRevision>[0]

const call = (params?: JsonObject, method = 'tools/list'): SelectionInput['message'] => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  ...(params !== undefined && { params }),
})
const notification = { jsonrpc: '2.0', method: 'notifications/cancelled' } as const

type Input = Partial<Omit<SelectionInput, 'served' | 'session'>> & { readonly session?: RevisionDate }

const select = (served: readonly RevisionDate[], { session, ...input }: Input): unknown => {
  const selected = selectRevision({
    message: undefined,
    stateless: false,
    ...input,
    served: resolveRevisions(served),
    session: session && revisionOf(session),
  })
  if (selected.kind === 'serve') return [selected.revision.version, selected.meta?.version]
  return selected.kind === 'refuse' ? selected.reason : selected.kind
}

it.each([
  ['a call with metadata', BOTH, { message: call(meta(NEW)) }, [NEW, NEW]],
  ['a call with metadata and its header', BOTH, { message: call(meta(NEW)), header: NEW }, [NEW, NEW]],
  [
    'a call with metadata and another header',
    BOTH,
    { message: call(meta(NEW)), header: OLD },
    'headerMismatch',
  ],
  [
    'a call with metadata and no header over HTTP',
    BOTH,
    { message: call(meta(NEW)), header: null },
    'headerMismatch',
  ],
  ['a call with metadata in a session', BOTH, { message: call(meta(NEW)), session: OLD }, [NEW, NEW]],
  [
    'a call with metadata where its revision is not served',
    [OLD],
    { message: call(meta(NEW)) },
    'missingSession',
  ],
  [
    'a call with metadata of an unknown version',
    BOTH,
    { message: call(meta('x')), header: 'x' },
    'unsupportedVersion',
  ],
  [
    'a call with metadata of a version with sessions',
    BOTH,
    { message: call(meta(OLD)) },
    'unsupportedVersion',
  ],
  ['a call with malformed metadata', BOTH, { message: call(meta(1)) }, 'badMetadata'],
  ['initialize with metadata', BOTH, { message: call(meta(NEW), 'initialize') }, [NEW, NEW]],
  ['a header without metadata', BOTH, { message: call(), header: NEW }, 'badMetadata'],
  ['a notification with a header', BOTH, { message: notification, header: NEW }, [NEW, undefined]],
  ['a notification', [NEW], { message: notification }, [NEW, undefined]],
  ['a call where no revision has sessions', [NEW], { message: call() }, 'badMetadata'],
  [
    'initialize where no revision has sessions',
    [NEW],
    { message: call({}, 'initialize') },
    'unsupportedVersion',
  ],
  ['a response where no revision has sessions', [NEW], { stateless: true }, 'invalidMessage'],
  ['a response before initialize', BOTH, {}, 'missingSession'],
  ['a response in a session', BOTH, { session: OLD }, [OLD, undefined]],
  ['a call in a session', BOTH, { message: call(), session: OLD }, [OLD, undefined]],
  [
    'a call in a session with its header',
    BOTH,
    { message: call(), session: OLD, header: OLD },
    [OLD, undefined],
  ],
  [
    'a call in a session without a header',
    BOTH,
    { message: call(), session: OLD, header: null },
    [OLD, undefined],
  ],
  [
    'a call in a session with the header of another revision',
    [OLD, EARLY],
    { message: call(), session: OLD, header: EARLY },
    [OLD, undefined],
  ],
  [
    'a call in a session with an unknown header',
    BOTH,
    { message: call(), session: OLD, header: 'x' },
    'unsupportedVersion',
  ],
  [
    'a call in a session with a newer header',
    BOTH,
    { message: call(), session: OLD, header: NEW },
    'badMetadata',
  ],
  ['a call that needs no session', [OLD, EARLY], { message: call(), stateless: true }, [EARLY, undefined]],
  [
    'a call that needs no session, with a header',
    [OLD, EARLY],
    { message: call(), stateless: true, header: OLD },
    [OLD, undefined],
  ],
  [
    'a call that needs no session, with a null header',
    [NEW, '2025-03-26', EARLY],
    { stateless: true, header: null },
    ['2025-03-26', undefined],
  ],
  ['initialize', [OLD], { message: call({}, 'initialize'), header: 'x' }, 'initialize'],
  [
    'an initialize that needs no session',
    BOTH,
    { message: call({}, 'initialize'), stateless: true },
    'initialize',
  ],
] satisfies [string, RevisionDate[], Input, unknown][])(
  'selectRevision selects a revision for a message or rejects the message: %s',
  (_what, served, input, selected) => {
    expect(select(served, input)).toEqual(selected)
  },
)

it.each([
  [call({ protocolVersion: OLD }, 'initialize'), OLD],
  [call({ protocolVersion: 1 }, 'initialize'), ''],
  [call(undefined, 'initialize'), ''],
  [call(meta('x')), 'x'],
])(
  'selectRevision lists the served versions for a client that does not use sessions: %j',
  (message, requested) => {
    expect(selectRevision({ message, served: resolveRevisions([NEW]), stateless: false })).toMatchObject({
      error: { code: ErrorCode.UnsupportedProtocolVersion, data: { supported: [NEW], requested } },
    })
  },
)

it('selectRevision lists the session versions for a client that uses sessions', () => {
  const served = resolveRevisions([NEW, OLD, EARLY])
  expect(selectRevision({ message: call(), header: 'x', served, stateless: false })).toMatchObject({
    error: { message: 'Unsupported protocol version: this server speaks 2025-11-25, 2024-11-05' },
  })
})
