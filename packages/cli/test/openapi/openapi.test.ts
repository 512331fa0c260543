import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCli } from '../support/run-cli.ts'

const DOCUMENT = `
openapi: 3.1.0
info: { title: Pets, version: 1.0.0 }
servers: [{ url: 'https://pets.invalid' }]
paths:
  /pets:
    get: { operationId: listPets, summary: List pets, tags: [pets] }
    post: { operationId: createPet, tags: [pets], deprecated: true }
  /it's:
    get: { summary: "a\\n*/ process.exit() //" }
  broken:
    get: {}
`

function fileWith(text: string, name = 'api.yaml'): string {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-cli-openapi-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

describe('jetway openapi', () => {
  it('prints operations, tokens and faults', async () => {
    const { stdout, exitCode } = await runCli(['openapi', fileWith(DOCUMENT)])
    expect(exitCode).toBe(0)
    expect(stdout.replaceAll(/\d+(?= {2}\S|\s+tokens)/g, 'N')).toBe(`Pets
servers: https://pets.invalid

  GET /pets   N  list_pets
  POST /pets  N  create_pet (deprecated)
  GET /it's   N  get_it_s

3 operations, about N tokens if all become tools

1 fault, 1 of which leave out an operation
  GET broken: its path does not begin with "/"
`)
  })

  it('prints the same as JSON', async () => {
    const { stdout } = await runCli(['openapi', fileWith(DOCUMENT), '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      title: 'Pets',
      operations: [{ key: 'GET /pets', name: 'list_pets' }, {}, {}],
    })
  })

  it('writes a file to choose from, and keeps the choices in it', async () => {
    const path = fileWith(DOCUMENT)
    const out = fileWith('', 'operations.ts')
    const first = await runCli(['openapi', path, '--out', out])
    expect(first.stdout).toContain('0 of 3 operations are chosen')
    const text = readFileSync(out, 'utf8')
    expect(text).toContain("  'GET /pets': false, // list_pets,")
    expect(text).toContain(String.raw`  'GET /it\'s': false, // get_it_s,`)
    expect(text).not.toContain('*/ process')
    writeFileSync(
      out,
      text
        .replace("'GET /pets': false", "'GET /pets': true")
        .replace(String.raw`'s': false`, String.raw`'s': 'resource'`),
    )
    const again = await runCli(['openapi', path, '--out', out])
    expect(again.stdout).toContain('2 of 3 operations are chosen')
    const { operations } = (await import(out)) as { operations: object }
    expect(operations).toEqual({ 'GET /pets': true, 'POST /pets': false, "GET /it's": 'resource' })
  })

  it('does not replace a file that it did not write', async () => {
    const own = 'export const server = 1\n'
    const out = fileWith(own, 'server.ts')
    const { stderr, exitCode } = await runCli(['openapi', fileWith(DOCUMENT), '--out', out])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('was not written by jetway openapi')
    expect(readFileSync(out, 'utf8')).toBe(own)
  })

  it.each([
    [[], /needs a document/],
    [['a.yaml', 'b.yaml'], /takes one document/],
    [['a.yaml', '--out', 'a.json'], /ends in \.ts/],
    [['none.yaml'], /none\.yaml/],
  ])('refuses %j', async (argv, problem) => {
    const { stderr, exitCode } = await runCli(['openapi', ...argv])
    expect(stderr).toMatch(problem)
    expect(exitCode).not.toBe(0)
  })

  it('names the problem of a file that is no OpenAPI document', async () => {
    const { stderr } = await runCli(['openapi', fileWith('a: 1')])
    expect(stderr).toMatch(/OpenAPI 2\.0, 3\.0, 3\.1 or 3\.2/)
    expect(stderr).not.toContain('ERR_MCP')
  })
})
