import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '@jetway-apps/test-support/http'
import { conformance, node } from '@jetway-tools/newer-node'
import { startAuthorizationServer } from '@jetway/testing/authorization-server'
import { expect, it, onTestFinished } from 'vitest'

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

it('the authorization server in @jetway/testing passes the conformance suite', async () => {
  await using issuer = await startAuthorizationServer({ scopes: ['mcp'] })
  const folder = await mkdtemp(join(tmpdir(), 'jetway-conformance-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const client = ['--client-id', issuer.client.clientId, '--port', String(await freePort())]
  const options = ['--resource', 'http://127.0.0.1:4000/mcp', '-o', folder]
  const suite = spawn(node, [conformance, 'authorization', '--url', issuer.issuer, ...client, ...options])
  onTestFinished(() => void suite.kill('SIGKILL'))
  const ended = once(suite, 'close')
  let page = ''
  let listens = false
  for await (const line of createInterface({ input: suite.stdout })) {
    // The suite asks the user to open this URL, and waits for the redirect.
    if (line.startsWith(`${issuer.issuer}/authorize?`)) page = line
    if (line.startsWith('Callback server started')) listens = true
    if (page === '' || !listens) continue
    await fetch(await issuer.signIn(page))
    page = ''
  }
  await ended

  const checks: Check[] = []
  for (const file of await readdir(folder, { recursive: true }))
    if (file.endsWith('checks.json')) checks.push(...JSON.parse(await readFile(join(folder, file), 'utf8')))
  expect(checks.filter(({ status }) => status !== 'SUCCESS')).toEqual([])
  expect(checks.map(({ id }) => id).toSorted()).toEqual([
    'authorization-code-grant',
    'authorization-server-metadata',
    'authorization-server-metadata-cimd',
  ])
})
