import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { type Running, startNode } from '@jetway-apps/test-support/processes'
import { program } from '@jetway-tools/runtimes/program'
import { onTestFinished } from 'vitest'
import type { Target } from './clients.ts'

const BIN = new URL('../../../src/bin.ts', import.meta.url)
const BUILT = fileURLToPath(new URL('../../../dist/bin.js', import.meta.url))
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))

/** Returns Node's arguments for the command: as it is published if there is a build, otherwise from source. */
export const jetway = (): readonly string[] =>
  process.env['JETWAY_BUILT'] !== undefined && existsSync(BUILT) ? [BUILT] : program(BIN)

/** A folder with a server file. */
export interface Project {
  readonly folder: string
  readonly file: string
  /** Writes to the existing server file. */
  save(code: string): Promise<void>
  /** Replaces the server's file with another file, as some editors do. */
  replace(code: string): Promise<void>
  /** Starts `jetway dev` for the file. */
  dev(...args: readonly string[]): Running
}

export async function createProject(code: string): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'jetway-dev-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'server.ts')
  await symlink(MODULES, join(folder, 'node_modules'), 'junction')
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(file, code)
  return {
    folder,
    file,
    save: (text) => writeFile(file, text),
    async replace(text) {
      await writeFile(`${file}.new`, text)
      await rename(`${file}.new`, file)
    },
    dev(...args) {
      const running = startNode([...jetway(), 'dev', file, ...args])
      onTestFinished(async () => void (await running.stop()))
      return running
    },
  }
}

/** Starts `jetway dev` over HTTP on a free port. Resolves to its URL. */
export async function devOverHttp(
  project: Project,
  ...args: readonly string[]
): Promise<Running & { url: string }> {
  const running = project.dev('--port', '0', ...args)
  const [url] = await running.until(/http:\/\/127\.0\.0\.1:\d+\/mcp/)
  return { ...running, url }
}

/** Serves a project with `jetway dev`. Over stdio, the client starts it. */
export const TRANSPORTS: Readonly<
  Record<string, (project: Project, ...args: readonly string[]) => Promise<Target>>
> = {
  stdio: ({ file }, ...args) =>
    Promise.resolve({ command: process.execPath, args: [...jetway(), 'dev', file, '--stdio', ...args] }),
  HTTP: devOverHttp,
}

/**
 * Returns the code of a server definition with the tool `echo`, additional tools without arguments, and
 * additional lines.
 */
export const definition = (tools: readonly string[] = [], more = ''): string => `
import { McpServer } from '@jetway/core'
import { z } from 'zod'
const server = new McpServer({ name: 'dev', version: '1.0.0' })
server.addTool({ name: 'echo', inputSchema: z.object({ text: z.string() }), handler: ({ text }) => text })
${tools.map((name) => `server.addTool({ name: '${name}', handler: () => '${name}' })`).join('\n')}
${more}
export default server
`
