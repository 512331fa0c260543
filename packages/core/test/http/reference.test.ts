import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { STATUSES, type StatusKey, type StatusRow } from '../../src/http/refusals.ts'
import { WHEN } from './status-meanings.ts'

const file = new URL('../../../../docs/reference/http.md', import.meta.url)
const update =
  'UPDATE_DOCS=1 npx vitest --config vitest.workspace.ts run packages/core/test/http/reference.test.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')

function line([key, row]: [string, StatusRow]): string {
  const { status, code, message, text, headers = {} } = row
  const extra = Object.entries(headers).map(([name, value]) => `; \`${name}: ${value}\``)
  return `| ${status} | ${code ?? ''} | ${cell(WHEN[key as StatusKey])}${extra.join('')} | ${cell(message ?? text ?? '')} |`
}

function render(): string {
  const rows = Object.entries<StatusRow>(STATUSES).map(line)
  return [
    '# HTTP statuses',
    '',
    'What an HTTP mount answers, in the order in which it checks. The checks up to 401 look at the head alone, before the body is read. Refusals are JSON-RPC errors in `application/json`, but for two of `/message`, which are plain text as its clients know them; they never repeat what the client has sent.',
    '',
    `The table is made from \`packages/core/src/http/refusals.ts\` and \`packages/core/test/http/status-meanings.ts\`. To renew it: \`${update}\``,
    '',
    '| status | code | when | message |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    'Two messages vary: that of a malformed message or batch says what is wrong with it, and that of an unsupported version names the versions that are served. A JSON-RPC error of a method is an answer like any other and travels with 200: in the session revisions 404 says that the session is gone.',
    '',
  ].join('\n')
}

describe('docs/reference/http.md', () => {
  it('says what the table in the code says', () => {
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, render())
    expect(readFileSync(file, 'utf8'), `out of date, run: ${update}`).toBe(render())
  })
})
