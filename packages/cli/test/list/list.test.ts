import { expect, it } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { serveEverything } from '../support/serve.ts'

it('jetway list prints signatures, resources, templates and prompts', async () => {
  const { stdout, exitCode } = await runCli(['list', await serveEverything()])
  expect(stdout).toMatch(
    /^everything 1\.0\.0 \(.+\)\n\nTools\n[\s\S]* {2}routed\(region: string, shard\?: integer, dryRun\?: boolean\)\n[\s\S]*\nResources\n[\s\S]*\nResource templates\n[\s\S]*\nPrompts\n/,
  )
  expect(exitCode).toBe(0)
})

it('jetway list prints schemas with --schema, and everything with --json', async () => {
  const url = await serveEverything()
  expect((await runCli(['list', url, '--schema'])).stdout).toContain('input: {\n')
  const document = JSON.parse((await runCli(['list', url, '--json'])).stdout) as { tools: { name: string }[] }
  expect(document).toMatchObject({ server: { name: 'everything' }, resources: expect.any(Array) })
  expect(document.tools.map(({ name }) => name)).toContain('echo')
})

it('jetway list connects with the protocol revision from --revision', async () => {
  const url = await serveEverything()
  expect((await runCli(['list', url, '--revision', '2025-06-18'])).stdout).toContain('(2025-06-18)')
  expect(await runCli(['list', url, '--revision', '2025-06-17'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Did you mean 2025-06-18?'),
  })
})
