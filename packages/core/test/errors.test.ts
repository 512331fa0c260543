import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  ErrorCode,
  internalError,
  McpError,
  missingCapability,
  resourceNotFound,
  UsageError,
  usageError,
  USAGE_ERRORS,
} from '../src/errors.ts'
import { REVISIONS } from '../src/protocol/revisions/index.ts'

const reference = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8')
const documented = [...reference.matchAll(/^### (ERR_MCP_\w+)$/gm)].map(([, code]) => code)

it('the reference documents all usage errors and no others', () => {
  expect(new Set(documented)).toEqual(new Set(Object.keys(USAGE_ERRORS)))
})

/** The table of error codes: who receives each code, what it means and what to do. */
const codes = new Map(
  [...reference.matchAll(/^\| `(-\d{5})` \|(.*)\|$/gm)].map(([, code, rest = '']) => {
    const [session = '', alone = '', means = '', todo = ''] = rest.split('|').map((cell) => cell.trim())
    return [Number(code), { session, alone, means, todo }] as const
  }),
)
const [alone, session] = (['modern', 'legacy'] as const).map((era) =>
  REVISIONS.find((one) => one.era === era),
)

it('the reference documents all JSON-RPC codes, each with a remedy, and no others', () => {
  expect(new Set(codes.keys())).toEqual(new Set(Object.values(ErrorCode)))
  for (const [code, { means, todo }] of codes)
    expect([code, means !== '', todo !== '']).toEqual([code, true, true])
})

it('the reference documents the HTTP status of each code', () => {
  const sent = [...codes].filter(([, row]) => row.alone !== '')
  expect(sent.map(([code, row]) => [code, Number(row.alone)])).toEqual(
    sent.map(([code]) => [code, alone?.httpStatus(new McpError(code, ''))]),
  )
})

it.each([
  ['an unknown resource', resourceNotFound('x://y')],
  ['a missing capability', missingCapability('x', {})],
])('the code of %s is documented in each era', (_, error) => {
  for (const [revision, column] of [
    [session, 'session'],
    [alone, 'alone'],
  ] as const) {
    const { code = 0 } = revision?.encodeError(error) ?? {}
    expect([code, codes.get(code)?.[column] !== '']).toEqual([code, true])
  }
})

it('the reference does not list the codes of one era for the other era', () => {
  const only = (column: 'session' | 'alone'): number[] =>
    [...codes].filter(([, row]) => row[column] === '').map(([code]) => code)
  expect(only('alone')).toEqual([ErrorCode.ResourceNotFound, ErrorCode.UrlElicitationRequired])
  // https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
  expect(only('session')).toEqual([-32020, -32021, -32022])
})

it('every usage error is thrown by some package', () => {
  const packages = new URL('../../', import.meta.url)
  // This call is not recursive, because Node.js would follow the links in every node_modules folder.
  const sources = readdirSync(packages)
    .map((folder) => new URL(`${folder}/src/`, packages))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => new URL(file, folder)),
    )
    .filter(({ pathname }) => pathname.endsWith('.ts') && !pathname.endsWith('/core/src/errors.ts'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  expect(Object.keys(USAGE_ERRORS).filter((code) => !sources.includes(`'${code}'`))).toEqual([])
})

it('usageError puts its code into both `code` and the message', () => {
  const error = usageError('ERR_MCP_OPTION', 'The option x is wrong')
  expect(error).toBeInstanceOf(UsageError)
  expect(error).toMatchObject({ code: 'ERR_MCP_OPTION', message: 'The option x is wrong [ERR_MCP_OPTION]' })
})

it('resourceNotFound() and internalError() include the code and the data for the peer', () => {
  expect(resourceNotFound('x://y')).toMatchObject({ code: -32602, data: { uri: 'x://y' } })
  expect(internalError('ref').message).toContain('ref')
})
