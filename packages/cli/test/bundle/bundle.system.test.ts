/** The built command creates bundles of projects, which the official tool validates and unpacks. */
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import process from 'node:process'
import { unpackExtension, validateManifest } from '@anthropic-ai/mcpb'
import { Client } from '@jetway/client'
import { childProcess } from '@jetway/client/stdio'
import { unzipSync } from 'fflate'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { BIN, type BinRun } from '../support/bin.ts'
import { folderOf, linkModules, pngOf } from '../support/folder.ts'

const SERVER = `
import { createRequire } from 'node:module'
import { McpServer } from '@jetway/core'
import { z } from 'zod'

const require = createRequire(import.meta.url)
const __dirname = 'mine'
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
import { readFileSync } from 'node:fs'
const server = new McpServer({ name: 'shop', version, title: 'Shop' })
server.addTool({
  name: 'settings',
  description: 'Shows what it has',
  inputSchema: z.object({}),
  handler: () => JSON.stringify({
    env: Object.keys(process.env).filter((name) => !/^__|^JETWAY_/.test(name)).toSorted(),
    limit: process.env.LIMIT,
    note: readFileSync(new URL('../data/note.txt', import.meta.url), 'utf8'),
    dirname: __dirname,
    os: typeof require('node:os').cpus,
  }),
})
export default server
`

const MANIFEST = {
  name: '@ann/shop',
  version: '1.2.3',
  type: 'module',
  description: 'Sells things',
  author: 'Ann Example',
  license: 'MIT',
  mcpName: 'io.github.ann/shop',
  repository: 'ann/shop',
  engines: { node: '>=20' },
}

const setting = { title: 'Key', description: 'The key' }
const JETWAY = {
  entry: 'src/server.ts',
  icon: 'icon.png',
  privacyPolicy: 'https://shop.example/privacy',
  settings: {
    API_KEY: { ...setting, secret: true },
    LIMIT: { ...setting, type: 'number', default: 10 },
  },
  bundle: { files: ['data'] },
}

interface Options {
  readonly server?: string
  readonly manifest?: object
  readonly jetway?: object
  readonly files?: Readonly<Record<string, unknown>>
}

function project({ server = SERVER, manifest = {}, jetway = {}, files = {} }: Options = {}): string {
  const folder = folderOf({
    'package.json': { ...MANIFEST, ...manifest },
    'jetway.json': { ...JETWAY, ...jetway },
    'icon.png': pngOf(512, 512),
    'data/note.txt': 'A note',
    LICENSE: 'MIT',
    '.git/HEAD': '',
    'src/server.ts': server,
    ...files,
  })
  linkModules(folder)
  return folder
}

const run = (folder: string, ...argv: readonly string[]): Promise<BinRun> =>
  new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1' }
    execFile(process.execPath, [BIN, ...argv], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ stdout, stderr, exitCode: error === null ? 0 : Number(error.code) }),
    )
  })

const bundle = (folder: string, ...more: readonly string[]): Promise<BinRun> =>
  run(folder, 'bundle', '--out', 'shop.mcpb', ...more)

describe('jetway bundle', () => {
  it('makes a bundle that starts, and that the official tool can validate and unpack', async () => {
    const folder = project()
    const { stdout, stderr, exitCode } = await bundle(folder, '--json')
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
    const bytes = readFileSync(join(folder, 'shop.mcpb'))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(JSON.parse(stdout)).toMatchObject({
      sha256,
      bytes: bytes.length,
      version: '1.2.3',
      tools: ['settings'],
      warnings: [],
    })
    expect(bytes.length).toBeLessThanOrEqual(320 * 1_024)

    const output = join(folder, 'unpacked')
    expect(
      await unpackExtension({ mcpbPath: join(folder, 'shop.mcpb'), outputDir: output, silent: true }),
    ).toBe(true)
    // The official tool prints its results.
    vi.spyOn(console, 'log').mockReturnValue()
    onTestFinished(() => void vi.restoreAllMocks())
    expect(validateManifest(join(output, 'manifest.json'))).toBe(true)
    expect(readFileSync(join(output, 'THIRD-PARTY-LICENSES.txt'), 'utf8')).toMatch(/^zod \d/m)
    const manifest = JSON.parse(readFileSync(join(output, 'manifest.json'), 'utf8')) as object
    expect(manifest).toMatchObject({
      manifest_version: '0.3',
      name: 'ann-shop',
      display_name: 'Shop',
      icon: 'icon.png',
      icons: [{ src: 'icon.png', size: '512x512' }],
      tools: [{ name: 'settings', description: 'Shows what it has' }],
      privacy_policies: ['https://shop.example/privacy'],
      repository: { type: 'git', url: 'https://github.com/ann/shop' },
      user_config: { api_key: { sensitive: true }, limit: { type: 'number', default: 10 } },
    })
    expect(manifest).not.toHaveProperty('compatibility.platforms')
    expect(manifest).not.toHaveProperty('tools_generated')

    const client = new Client({ name: 'test', version: '1' })
    await client.connect(
      childProcess({
        command: process.execPath,
        args: [join(output, 'server/index.js')],
        env: { API_KEY: '${user_config.api_key}', LIMIT: '10' },
        inheritEnv: 'none',
      }),
    )
    const { content } = await client.callTool('settings')
    await client.close()
    expect(JSON.parse((content[0] as { text: string }).text)).toEqual({
      env: ['LIMIT'],
      limit: '10',
      note: 'A note',
      dirname: 'mine',
      os: 'function',
    })
  })

  it('produces the same bytes in any time zone', async () => {
    const folder = project()
    await bundle(folder)
    const first = readFileSync(join(folder, 'shop.mcpb'))
    const zone = process.env['TZ']
    process.env['TZ'] = 'Asia/Tokyo'
    try {
      await bundle(folder)
    } finally {
      if (zone === undefined) delete process.env['TZ']
      else process.env['TZ'] = zone
    }
    expect(readFileSync(join(folder, 'shop.mcpb')).equals(first)).toBe(true)
  })

  it.each<[what: string, options: Options, argv: readonly string[], text: RegExp]>([
    [
      'a version that differs',
      { server: SERVER.replace('version, title', "version: '1.2.4', title") },
      [],
      /says version 1\.2\.4, and .*package\.json says 1\.2\.3/,
    ],
    [
      'an unknown key in jetway.json',
      { jetway: { privacyPolcy: 'x' } },
      [],
      /unknown key "privacyPolcy"[\s\S]*Did you mean privacyPolicy\?/,
    ],
    [
      'a file that it reads and that is not in the bundle',
      {
        jetway: { bundle: {} },
        server: `${SERVER}\nreadFileSync(new URL('../data/note.txt', import.meta.url))`,
      },
      [],
      /does not work when it is unpacked elsewhere[\s\S]*ENOENT/,
    ],
    ['a line on stdout', { server: `console.log('hello')\n${SERVER}` }, [], /no message: hello/],
    [
      'a required setting without a value',
      { jetway: { settings: { API_KEY: { ...setting, required: true } } } },
      [],
      /needs API_KEY to start/,
    ],
    [
      'a file that serves HTTP',
      {
        server: `import { createServer } from 'node:http'\ncreateServer(() => {}).listen(Number(process.env.PORT), '127.0.0.1')`,
      },
      [],
      /server\.ts serves HTTP/,
    ],
    [
      'an import that does not exist',
      { server: `${SERVER}\nif (process.argv.length > 90) await import('gone-package')` },
      [],
      /cannot be bundled[\s\S]*gone-package/,
    ],
    ['no author', { manifest: { author: undefined } }, [], /no author/],
    [
      'a secret file',
      { jetway: { bundle: { files: ['.env'] } }, files: { '.env': 'A=1' } },
      [],
      /may have secrets/,
    ],
    ['another ending', {}, ['--out', 'shop.zip'], /must end with \.mcpb/],
  ])('fails for %s without leaving a file', async (_, options, argv, text) => {
    const folder = project(options)
    writeFileSync(join(folder, 'shop.mcpb'), 'an older bundle')
    const { stderr, stdout, exitCode } = await bundle(folder, ...argv)
    expect(stderr).toMatch(text)
    expect({ stdout, exitCode: exitCode > 0 }).toEqual({ stdout: '', exitCode: true })
    expect(existsSync(join(folder, 'shop.mcpb'))).toBe(argv.length > 0)
  })

  it('reads the value of a required setting from --env, but does not store it in the bundle', async () => {
    const folder = project({
      jetway: { settings: { API_KEY: { ...setting, secret: true, required: true } } },
    })
    expect(await bundle(folder, '--env', 'API_KEY=hunter2')).toMatchObject({ exitCode: 0 })
    for (const content of Object.values(unzipSync(readFileSync(join(folder, 'shop.mcpb')))))
      expect(Buffer.from(content).toString()).not.toContain('hunter2')
  })

  it('copies packages with native code and their dependencies, and preserves the file modes', async () => {
    const folder = folderOf({
      'package.json': { ...MANIFEST, dependencies: { native: '1' } },
      'src/server.ts': `
import { createInterface } from 'node:readline'
import native from 'native'
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  const result = method === 'initialize'
    ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'native', version: '1.2.3' } }
    : { tools: [{ name: native(), inputSchema: { type: 'object' } }] }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
})
`,
      'node_modules/native/package.json': {
        name: 'native',
        version: '1.0.0',
        main: 'index.js',
        dependencies: { helper: '1' },
      },
      'node_modules/native/index.js':
        "const { existsSync } = require('node:fs')\nmodule.exports = () => require('helper') + existsSync(__dirname + '/build/a.node')",
      'node_modules/native/build/a.node': 'binary',
      'node_modules/native/bin/tool': '#!/bin/sh\n',
      'node_modules/helper/package.json': { name: 'helper', version: '1.0.0' },
      'node_modules/helper/index.js': "module.exports = 'tool_'",
    })
    chmodSync(join(folder, 'node_modules/native/bin/tool'), 0o755)
    const { stderr, exitCode } = await run(folder, 'bundle', 'src/server.ts', '--out', 'shop.mcpb')
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('native code'),
    })
    expect(stderr).toContain('No licence file is in helper@1.0.0, native@1.0.0')
    const files = unzipSync(readFileSync(join(folder, 'shop.mcpb')))
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(['node_modules/native/build/a.node', 'node_modules/helper/index.js']),
    )
    const manifest = JSON.parse(Buffer.from(files['manifest.json'] ?? []).toString()) as object
    expect(manifest).toMatchObject({
      tools: [{ name: 'tool_true' }],
      compatibility: { platforms: [process.platform] },
    })
  })
})
