import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { codeOf, STATUSES, type StatusKey, type StatusRow } from '../../src/http/refusals.ts'
import { WHEN } from './status-meanings.ts'

const file = new URL('../../../../docs/reference/http.md', import.meta.url)
const update = 'UPDATE_DOCS=1 npx vitest run packages/core/test/http/reference.test.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')

function line([key, row]: [string, StatusRow]): string {
  const { status, message, text } = row
  const code = message === undefined ? '' : codeOf(row)
  const extra = status === 503 ? '; `retry-after: 1`' : ''
  return `| ${status} | ${code} | ${cell(WHEN[key as StatusKey])}${extra} | ${cell(message ?? text ?? '')} |`
}

function render(): string {
  const rows = Object.entries<StatusRow>(STATUSES).map(line)
  return [
    '# HTTP statuses',
    '',
    'The table lists every status that an HTTP mount sends, in the order of its checks. The checks up to 401 need only the head, so they run before the body is read. A refused request gets a JSON-RPC error as `application/json`. Only two errors of `/message` are plain text, as its clients expect. No refusal repeats any part of the request.',
    '',
    `A test generates the table from \`packages/core/src/http/refusals.ts\` and \`packages/core/test/http/status-meanings.ts\`. To update it: \`${update}\``,
    '',
    '| status | code | when | message |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    'Two messages vary: the message for a malformed message or batch names the problem, and the message for an unsupported version lists the supported versions. A JSON-RPC error of a method is a normal response with status 200, because 404 tells a client that its session no longer exists.',
    '',
  ].join('\n')
}

describe('docs/reference/http.md', () => {
  it('matches the status table in the code', () => {
    const page = readFileSync(file, 'utf8')
    // The sections below the table are written by hand.
    const [, below = ''] = /(\n## [^]*)$/.exec(page) ?? []
    const current = render() + below
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, current)
    expect(readFileSync(file, 'utf8'), `out of date, run: ${update}`).toBe(current)
  })
})
