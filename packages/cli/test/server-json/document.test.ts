import { join } from 'node:path'
import type { ServerDetails } from '@jetway/client'
import { describe, expect, it } from 'vitest'
import type { JetwayJson } from '../../src/project/jetway-json.ts'
import { readPackageJson } from '../../src/project/package-json.ts'
import type { RunningFile } from '../../src/project/running-server.ts'
import { documentOf } from '../../src/server-json/document.ts'
import { problemsOf } from '../../src/server-json/rules.ts'
import { folderOf } from '../support/folder.ts'

const manifest = {
  name: '@ann/shop',
  version: '1.2.3',
  description: 'Sells things',
  mcpName: 'io.github.ann/shop',
  bin: 'dist/main.js',
  repository: { url: 'git+https://github.com/ann/shop.git', directory: 'packages/server' },
  homepage: 'https://shop.example',
}
const offers = { tools: [], resources: [], resourceTemplates: [], prompts: [] }

function create(
  {
    content = manifest,
    jetwayJson = {},
    info = {},
    serves = 'stdio' as const,
  }: {
    readonly content?: object
    readonly jetwayJson?: JetwayJson
    readonly info?: object
    readonly serves?: RunningFile['serves']
  } = {},
  bundle?: { readonly url: string; readonly sha256: string },
) {
  const file = join(folderOf({ 'package.json': content }), 'server.ts')
  const details = {
    info: { name: 'shop', version: '1.2.3', ...info },
    protocolVersion: '2025-11-25',
    capabilities: {},
  }
  const running: RunningFile = { details: details as ServerDetails, offers, serves, definition: undefined }
  return documentOf({ file, packageJson: readPackageJson(file), jetwayJson }, running, bundle)
}

describe('documentOf', () => {
  it('describes an npm package from package.json and the settings in jetway.json', () => {
    const jetwayJson: JetwayJson = {
      args: ['--stdio'],
      title: 'Ignored',
      settings: {
        API_KEY: { title: 'Key', description: 'The key', secret: true, required: true },
        FOLDER: { title: 'Folder', description: 'Where', type: 'directory' },
        LIMIT: { title: 'Limit', description: 'How many', type: 'number', default: 10 },
      },
    }
    const document = create({
      jetwayJson,
      info: { title: 'Shop', icons: [{ src: 'https://shop.example/a.png' }, { src: 'data:,' }] },
    })
    expect(problemsOf(document)).toEqual([])
    expect(document).toMatchObject({
      name: 'io.github.ann/shop',
      title: 'Shop',
      version: '1.2.3',
      websiteUrl: 'https://shop.example',
      repository: { url: 'https://github.com/ann/shop', source: 'github', subfolder: 'packages/server' },
      icons: [{ src: 'https://shop.example/a.png' }],
      packages: [
        {
          registryType: 'npm',
          identifier: '@ann/shop',
          version: '1.2.3',
          packageArguments: [{ type: 'positional', value: '--stdio' }],
          environmentVariables: [
            { name: 'API_KEY', description: 'The key', isRequired: true, isSecret: true },
            { name: 'FOLDER', description: 'Where', format: 'filepath' },
            { name: 'LIMIT', description: 'How many', format: 'number', default: '10' },
          ],
        },
      ],
    })
  })

  it.each([
    ['is private', { content: { ...manifest, private: true } }],
    ['has no command', { content: { ...manifest, bin: undefined } }],
    ['serves HTTP', { serves: 'http' as const }],
  ])('lists no npm package if the project %s', (_, options) => {
    expect(create(options).packages).toBeUndefined()
  })

  it('describes a bundle, remote URLs and custom metadata', () => {
    const jetwayJson: JetwayJson = {
      remotes: [
        {
          url: 'https://{tenant}.shop.example/mcp',
          headers: { 'X-Key': { description: 'The key', secret: true, required: true } },
          variables: { tenant: { default: 'eu', choices: ['eu', 'us'] } },
        },
        { url: 'https://shop.example/sse', type: 'sse' },
      ],
      meta: { build: 7 },
    }
    const sha256 = 'b'.repeat(64)
    const url = 'https://github.com/ann/shop/releases/download/v1.2.3/shop.mcpb'
    const document = create({ jetwayJson }, { url, sha256 })
    expect(problemsOf(document)).toEqual([])
    expect(document.packages).toHaveLength(2)
    expect(document.packages?.[1]).toMatchObject({
      registryType: 'mcpb',
      identifier: url,
      fileSha256: sha256,
    })
    expect(document.remotes).toEqual([
      {
        type: 'streamable-http',
        url: 'https://{tenant}.shop.example/mcp',
        headers: [{ name: 'X-Key', description: 'The key', isSecret: true, isRequired: true }],
        variables: { tenant: { default: 'eu', choices: ['eu', 'us'] } },
      },
      { type: 'sse', url: 'https://shop.example/sse' },
    ])
    expect(document._meta).toEqual({ 'io.modelcontextprotocol.registry/publisher-provided': { build: 7 } })
  })
})
