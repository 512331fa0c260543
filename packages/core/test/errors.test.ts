import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { internalError, resourceNotFound, UsageError, usageError, USAGE_ERRORS } from '../src/errors.ts'

const reference = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8')
const documented = [...reference.matchAll(/^### (ERR_MCP_\w+)$/gm)].map(([, code]) => code)

it('every usage error is documented, and nothing else is', () => {
  expect(new Set(documented)).toEqual(new Set(Object.keys(USAGE_ERRORS)))
})

it('every usage error is thrown somewhere in the packages', () => {
  const packages = new URL('../../', import.meta.url)
  const sources = readdirSync(packages, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^[^/]+\/src\/.*\.ts$/.test(file) && file !== 'core/src/errors.ts')
    .map((file) => readFileSync(new URL(file, packages), 'utf8'))
    .join('\n')
  expect(Object.keys(USAGE_ERRORS).filter((code) => !sources.includes(`'${code}'`))).toEqual([])
})

it('a usage error carries its code in code and text', () => {
  const error = usageError('ERR_MCP_OPTION', 'The option x is wrong')
  expect(error).toBeInstanceOf(UsageError)
  expect(error).toMatchObject({ code: 'ERR_MCP_OPTION', message: 'The option x is wrong [ERR_MCP_OPTION]' })
})

it('factories name the code and keep data that the peer needs', () => {
  expect(resourceNotFound('x://y')).toMatchObject({ code: -32602, data: { uri: 'x://y' } })
  expect(internalError('ref').message).toContain('ref')
})
