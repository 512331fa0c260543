import { describe, expect, it } from 'vitest'
import { resourceNotFound } from '../../src/errors.ts'
import { negotiate, ofEra, resolveRevisions, REVISIONS } from '../../src/protocol/revisions/index.ts'
import type { Revision } from '../../src/protocol/revisions/revision.ts'
import { revision } from '../support/revision.ts'
import { selectRevision } from '../../src/protocol/revisions/select.ts'
import { STRUCTURED_JSON } from '../../src/protocol/revisions/base.ts'
import type { ContentBlock, Tool } from '../../src/protocol/types.ts'

const tool: Tool = {
  name: 't',
  title: 'T',
  description: 'd',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
  icons: [{ src: 'https://x/i.png', sizes: ['48x48'] }],
  _meta: { a: 1 },
}

const blocks: ContentBlock[] = [
  { type: 'text', text: 'hi', annotations: { priority: 1, lastModified: '2025-01-01' }, _meta: { a: 1 } },
  { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
  { type: 'resource_link', uri: 'x://y', name: 'y', title: 'Y', icons: [{ src: 'https://x/i.png' }] },
  { type: 'resource', resource: { uri: 'x://y', text: 'z', _meta: { a: 1 } } },
]

describe('projection to a revision', () => {
  it.each([
    ['2024-11-05', ['name', 'description', 'inputSchema']],
    ['2025-03-26', ['name', 'description', 'inputSchema', 'annotations']],
    ['2025-06-18', ['name', 'description', 'inputSchema', 'annotations', 'title', 'outputSchema', '_meta']],
    [
      '2025-11-25',
      ['name', 'description', 'inputSchema', 'annotations', 'title', 'outputSchema', '_meta', 'icons'],
    ],
  ])('keeps the tool members that %s defines', (version, members) => {
    expect(Object.keys(revision(version).projectTool(tool)).toSorted()).toEqual(members.toSorted())
  })

  it.each(['2025-06-18', '2025-11-25'])('omits non-object output schemas in %s', (version) => {
    const projected = revision(version).projectTool({ ...tool, outputSchema: { type: 'array' } })
    expect(projected).not.toHaveProperty('outputSchema')
  })

  it.each([
    ['2024-11-05', ['text', 'text', 'text', 'resource']],
    ['2025-03-26', ['text', 'audio', 'text', 'resource']],
    ['2025-06-18', ['text', 'audio', 'resource_link', 'resource']],
    ['2025-11-25', ['text', 'audio', 'resource_link', 'resource']],
  ])('replaces content blocks that %s does not define with text', (version, types) => {
    const result = JSON.parse(revision(version).encodeResult('tools/call', { content: blocks })) as {
      content: ContentBlock[]
    }
    expect(result.content.map((block) => block.type)).toEqual(types)
    const link = result.content[2]
    if (link?.type === 'text') expect(link.text).toBe('Y: x://y')
    else expect('icons' in (link ?? {})).toBe(version === '2025-11-25')
  })

  it('drops _meta and lastModified from content if the revision does not support them', () => {
    const { content } = JSON.parse(
      revision('2025-03-26').encodeResult('tools/call', { content: blocks }),
    ) as {
      content: [{ annotations: object }, unknown, unknown, { resource: object }]
    }
    expect(content[0]).toEqual({ type: 'text', text: 'hi', annotations: { priority: 1 } })
    expect(content[3].resource).toEqual({ uri: 'x://y', text: 'z' })
  })

  it('keeps structured content only in 2025-06-18 and later, and only if it is an object', () => {
    const result = { content: [], structuredContent: { a: 1 } }
    expect(revision('2025-03-26').encodeResult('tools/call', result)).toBe('{"content":[]}')
    expect(revision('2025-06-18').encodeResult('tools/call', result)).toBe(
      '{"content":[],"structuredContent":{"a":1}}',
    )
    expect(revision('2025-11-25').encodeResult('tools/call', { content: [], structuredContent: [1] })).toBe(
      '{"content":[]}',
    )
  })

  it('reuses serialised structured content as long as the value is unchanged', () => {
    const value = { a: 1 }
    const prepared = { content: [], structuredContent: value, [STRUCTURED_JSON]: { value, json: '{"a":2}' } }
    expect(revision('2025-11-25').encodeResult('tools/call', prepared)).toContain(
      '"structuredContent":{"a":2}',
    )
    const replaced = { ...prepared, structuredContent: { b: 1 } }
    expect(revision('2025-11-25').encodeResult('tools/call', replaced)).toContain(
      '"structuredContent":{"b":1}',
    )
  })

  it('uses the older error code for "resource not found" in session revisions', () => {
    for (const each of ofEra('legacy', REVISIONS)) {
      expect(each.encodeError(resourceNotFound('x://y'))).toMatchObject({
        code: -32002,
        data: { uri: 'x://y' },
      })
    }
  })
})

it('the features of each revision match its specification', () => {
  const has = (each: Revision): readonly string[] =>
    Object.entries(each).flatMap(([name, value]) => (value === true ? [name] : []))
  const since = ['progressMessage', 'samplingTools', 'elicitationIds', 'versionHeader']
  expect(Object.fromEntries(REVISIONS.map((each) => [each.version, has(each).toSorted()]))).toEqual({
    '2024-11-05': [],
    '2025-03-26': ['batching', 'progressMessage'],
    '2025-06-18': ['progressMessage', 'versionHeader'],
    '2025-11-25': [...since, 'primesStreams'].toSorted(),
    '2026-07-28': [
      'cancelOnDisconnect',
      'parameterHeaders',
      'progressMessage',
      'samplingTools',
      'versionHeader',
    ],
  })
  expect(REVISIONS.map(({ forms }) => forms)).toEqual([
    { fields: 'full', url: true },
    { fields: 'full', url: true },
    { fields: 'plain', url: false },
    undefined,
    undefined,
  ])
})

describe('resolveRevisions and negotiate', () => {
  it('sort the served revisions from newest to oldest', () => {
    const versions = resolveRevisions(['2024-11-05', '2025-11-25']).map(({ version }) => version)
    expect(versions).toEqual(['2025-11-25', '2024-11-05'])
  })

  it('reject an empty list, and an unknown revision with an error that names it', () => {
    expect(() => resolveRevisions(['2020-01-01' as never])).toThrow(
      /Unknown protocol revision "2020-01-01".*ERR_MCP_REVISION/,
    )
    expect(() => resolveRevisions([])).toThrow(/ERR_MCP_REVISION/)
  })

  it('choose the requested revision if it is served, and otherwise the newest one', () => {
    const sessions = ofEra('legacy', REVISIONS)
    expect(negotiate('2025-03-26', sessions).version).toBe('2025-03-26')
    expect(negotiate('1999-01-01', sessions).version).toBe('2025-11-25')
    expect(negotiate('2025-11-25', resolveRevisions(['2025-03-26'])).version).toBe('2025-03-26')
  })
})

describe('selectRevision', () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' } as const
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize' } as const
  const base = { served: REVISIONS, stateless: false }

  it.each([
    ["the session's revision", { message: call, session: revision('2025-03-26') }, '2025-03-26'],
    [
      'the header in a call without sessions',
      { message: call, stateless: true, header: '2025-06-18' },
      '2025-06-18',
    ],
    ['2025-03-26 if nothing names a revision', { message: call, stateless: true }, '2025-03-26'],
  ])('selects %s', (_, input, version) => {
    expect(selectRevision({ ...base, ...input })).toMatchObject({ kind: 'serve', revision: { version } })
  })

  it('opens a session for initialize only if no session is open, and ignores the version header', () => {
    for (const header of [undefined, '2025-06-18', '2099-01-01', 'x'])
      expect(selectRevision({ ...base, message: initialize, header })).toEqual({ kind: 'initialize' })
    expect(selectRevision({ ...base, message: initialize, session: revision('2025-11-25') }).kind).toBe(
      'serve',
    )
  })

  it.each([
    ['a call before initialize', { message: call }],
    ['an unknown version', { message: call, header: '1999-01-01', session: revision('2025-11-25') }],
    [
      'a version that is known but not served',
      { message: call, stateless: true, header: '2024-11-05', served: resolveRevisions(['2025-11-25']) },
    ],
  ])('rejects %s', (_, input) => {
    expect(selectRevision({ ...base, ...input })).toMatchObject({ kind: 'refuse', error: { code: -32600 } })
  })
})
