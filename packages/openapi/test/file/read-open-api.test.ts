import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseOpenApi, readOpenApi } from '../../src/file/index.ts'
import { openApi } from '../../src/index.ts'
import { schemaOf } from '../support/api.ts'

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-openapi-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

describe('parseOpenApi', () => {
  it.each(['{"openapi": "3.1.0"}', 'openapi: 3.1.0', '\n{ "openapi": "3.1.0" }'])(
    'reads JSON and YAML: %j',
    (text) => {
      expect(parseOpenApi(text)).toEqual({ openapi: '3.1.0' })
    },
  )

  it('reads YAML 1.2, where "no" is a string and a date stays text', () => {
    expect(parseOpenApi('a: no\nb: 2020-01-01')).toEqual({ a: 'no', b: '2020-01-01' })
  })

  it.each(['', '[]', 'text', '{"a', 'a: [', 'a: 1\na: 2'])('refuses %j', (text) => {
    expect(() => parseOpenApi(text, 'api.yaml')).toThrow(/^api\.yaml (?:is|has)/)
  })

  it('refuses aliases that stand for more than they have', () => {
    const lines = Array.from(
      { length: 20 },
      (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}, *a${index}]`,
    )
    expect(() => parseOpenApi(['a0: &a0 x', ...lines].join('\n'))).toThrow(/is neither JSON nor YAML/)
  })
})

const MAIN = `
openapi: 3.1.0
servers: [{ url: 'https://api.invalid' }]
paths:
  /pets/{id}:
    $ref: './paths/pet.yaml'
components:
  schemas:
    Name: { type: string, minLength: 2 }
`
const PET = `
post:
  operationId: rename
  requestBody:
    content:
      application/json:
        schema: { $ref: '../schemas.yaml#/Pet' }
`
const SCHEMAS = `
Pet:
  type: object
  properties:
    name: { $ref: 'main.yaml#/components/schemas/Name' }
    friend: { $ref: '#/Pet' }
`

describe('readOpenApi', () => {
  it('puts files below the folder into the document', async () => {
    const folder = folderWith({ 'main.yaml': MAIN, 'paths/pet.yaml': PET, 'schemas.yaml': SCHEMAS })
    const document = await readOpenApi(join(folder, 'main.yaml'), { files: true })
    const source = openApi(document)
    expect(source.faults).toEqual([])
    expect(schemaOf(source.tools()[0]?.inputSchema)).toMatchObject({
      properties: { id: { type: 'string' }, name: { $ref: '#/$defs/Name' }, friend: { $ref: '#/$defs/Pet' } },
      $defs: { Name: { minLength: 2 }, Pet: { properties: { friend: { $ref: '#/$defs/Pet' } } } },
    })
  })

  it('leaves references to files alone without the option files', async () => {
    const folder = folderWith({ 'main.yaml': MAIN })
    expect(await readOpenApi(join(folder, 'main.yaml'))).toMatchObject({
      paths: { '/pets/{id}': { $ref: './paths/pet.yaml' } },
    })
  })

  it.each([
    '../secret.yaml',
    '%2e%2e/secret.yaml',
    '/etc/passwd',
    'https://evil.invalid/a.yaml',
    'file:///etc/passwd',
    '//evil.invalid/a.yaml',
    'link.yaml',
  ])('refuses a reference that leaves the folder: %s', async (reference) => {
    const folder = folderWith({
      'api/main.yaml': `paths: { /x: { $ref: '${reference}#/a' } }`,
      'secret.yaml': 'a: {}',
    })
    symlinkSync('../secret.yaml', join(folder, 'api/link.yaml'))
    const reading = readOpenApi(join(folder, 'api/main.yaml'), { files: true })
    await expect(reading).rejects.toThrow(/outside of the document's folder|only files in its own folder/)
  })

  it('refuses files of more than 32 MiB before it reads them', async () => {
    const folder = folderWith({ 'main.yaml': 'a: { $ref: b.yaml }', 'b.yaml': '' })
    truncateSync(join(folder, 'b.yaml'), 33 * 1024 * 1024)
    await expect(readOpenApi(join(folder, 'main.yaml'), { files: true })).rejects.toThrow(
      /larger than 32 MiB/,
    )
    await expect(readOpenApi(join(folder, 'b.yaml'))).rejects.toThrow(/larger than 32 MiB/)
  })

  it.each(['none.yaml', '100%.yaml'])('names the file that is missing: %s', async (name) => {
    const folder = folderWith({ 'main.yaml': `a: { $ref: '${name}' }` })
    await expect(readOpenApi(join(folder, 'main.yaml'), { files: true })).rejects.toThrow(name)
  })
})
