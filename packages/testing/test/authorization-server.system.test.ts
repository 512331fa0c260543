import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { program } from '@jetway-tools/runtimes/program'
import { expect, it } from 'vitest'

const dataUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`

/** Module hooks that resolve every module except the peer dependency. */
const HOOKS = dataUrl(`export async function resolve(name, context, next) {
  if (name === 'oidc-provider') throw Object.assign(new Error('Not found'), { code: 'ERR_MODULE_NOT_FOUND' })
  return next(name, context)
}`)
const WITHOUT_PEER = dataUrl(`import { register } from 'node:module'; register(${JSON.stringify(HOOKS)})`)

it('`startAuthorizationServer` names the package to install if oidc-provider is missing', async () => {
  const args = program(new URL('fixtures/start-authorization-server.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', WITHOUT_PEER, ...args])
  expect(stdout).toBe(
    'The authorization server needs oidc-provider: npm install --save-dev oidc-provider@9 [ERR_MCP_OPTION]\n',
  )
})
