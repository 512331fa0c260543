import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { MOUNTS } from '@jetway-apps/test-support/mounts'
import { inspector, node } from '@jetway-tools/newer-node'
import type { AuthorizationServer } from '@jetway/testing/authorization-server'
import { expect, it, onTestFinished } from 'vitest'
import { protect, startIssuer } from './support/protected.ts'

/** Creates an environment without the developer's own settings, in which opening a browser has no effect. */
async function createHome(): Promise<NodeJS.ProcessEnv> {
  const home = await mkdtemp(join(tmpdir(), 'jetway-inspector-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const browser = join(home, 'xdg-open')
  await writeFile(browser, '#!/bin/sh\n')
  await chmod(browser, 0o755)
  return {
    HOME: home,
    PATH: `${home}:${process.env['PATH']}`,
    MCP_AUTO_OPEN_ENABLED: 'true',
    MCP_INSPECTOR_SECRET_STORE: 'file',
  }
}

interface Ran {
  readonly code: number
  readonly stdout: string
  /** The number of visits to the authorization server. */
  readonly visits: number
}

/** Runs the Inspector's command line. Its user consents to everything. */
async function inspect(
  issuer: AuthorizationServer,
  env: NodeJS.ProcessEnv,
  args: readonly string[],
): Promise<Ran> {
  const child = spawn(node, [inspector, '--cli', ...args, '--format', 'json'], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stdout = ''
  let visits = 0
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stdin.end('y\n')
  const closed = once(child, 'close')
  for await (const line of createInterface({ input: child.stderr })) {
    const [url] = /http\S+\/authorize\?\S+/.exec(line) ?? []
    if (url === undefined) continue
    visits += 1
    await fetch(await issuer.signIn(url))
  }
  const [code] = (await closed) as [number]
  return { code, stdout, visits }
}

it.each(['legacy', 'modern'])(
  'the Inspector CLI signs in, and later requests more scopes, in the %s era',
  async (era) => {
    const issuer = await startIssuer()
    const url = await protect(issuer, MOUNTS.Fastify)
    const env = await createHome()
    const config = join(env['HOME'] ?? '', 'servers.json')
    // With a refresh token, the Inspector would refresh instead of asking for more scopes.
    const oauth = { requestRefreshToken: false }
    await writeFile(config, JSON.stringify({ mcpServers: { test: { type: 'streamable-http', url, oauth } } }))
    const server = ['--config', config, '--server', 'test', '--protocol-era', era]
    const call = (name: string, ...more: readonly string[]): Promise<Ran> =>
      inspect(issuer, env, [...server, '--method', 'tools/call', '--tool-name', name, ...more])

    const first = await call('whoami')
    expect(first).toMatchObject({ code: 0, visits: 1, stdout: expect.stringContaining('alice by ') })
    const again = await call('whoami', '--stored-auth-only')
    expect(again).toMatchObject({ code: 0, visits: 0, stdout: expect.stringContaining('alice by ') })
    const stepped = await call('write')
    expect(stepped).toMatchObject({ code: 0, visits: 1, stdout: expect.stringContaining('written') })
  },
)
