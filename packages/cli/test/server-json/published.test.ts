import { listen } from '@jetway-apps/test-support/http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkPublished } from '../../src/server-json/published.ts'
import type { PackageJson } from '../../src/project/package-json.ts'

const packageJson = { name: '@ann/shop', version: '1.2.3', mcpName: 'io.github.ann/shop' } as PackageJson

async function check(status: number, body: string): Promise<readonly string[]> {
  const paths: string[] = []
  const { origin, release } = await listen((request, response) => {
    paths.push(request.url ?? '')
    response.writeHead(status).end(body)
  })
  onTestFinished(release)
  await checkPublished(packageJson, origin)
  return paths
}

describe('--published', () => {
  it("requests the package's version from the npm registry", async () => {
    expect(await check(200, JSON.stringify({ mcpName: 'io.github.ann/shop' }))).toEqual([
      '/@ann%2fshop/1.2.3',
    ])
  })

  it.each([
    ['there is no such version', 404, '{}', 'has no @ann/shop@1.2.3'],
    ['the version has another name', 200, '{"mcpName":"io.github.bob/shop"}', '"io.github.bob/shop"'],
    ['the version has no name', 200, '{}', 'mcpName null'],
    ['npm fails', 500, '', 'status 500'],
    ['npm answers with a page', 200, '<html>', 'something else than a JSON object'],
    ['npm answers with too much', 200, 'x'.repeat(4 * 1_048_576 + 1), 'longer than'],
  ])('fails if %s', async (_, status, body, text) => {
    await expect(check(status, body)).rejects.toThrow(text)
  })
})
