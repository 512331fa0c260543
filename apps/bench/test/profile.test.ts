import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listen } from '@jetway-apps/test-support/http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HttpConnection } from '../src/load/http-connection.ts'
import { post } from '../src/load/http-session.ts'
import { sharesOf, startProfile } from '../src/serving/profile.ts'

function node(functionName: string, hitCount: number, url = ''): Profiler.ProfileNode {
  return { id: 1, callFrame: { functionName, url, scriptId: '0', lineNumber: 0, columnNumber: 0 }, hitCount }
}

describe('sharesOf', () => {
  it('counts native code and garbage collection as busy time, and ignores idle time', () => {
    const nodes = [
      node('(idle)', 50),
      node('(program)', 3),
      node('(garbage collector)', 2),
      node('handler', 5),
    ]
    expect(sharesOf({ nodes })).toEqual({ busy: 10, write: 0 })
  })

  it('counts native write functions as writes, but not JavaScript functions of the same name', () => {
    const nodes = [node('writev', 3), node('writeUtf8String', 2), node('writev', 7, 'node:net')]
    expect(sharesOf({ nodes })).toEqual({ busy: 12, write: 5 })
  })
})

describe('startProfile', () => {
  it("measures a server's writes, and saves the profile to the file", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jetway-profile-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { port, release } = await listen((_request, response) => response.end('ok'))
    onTestFinished(release)
    const connection = await HttpConnection.open(port)
    onTestFinished(() => connection.close())

    const stop = await startProfile()
    for (let sent = 0; sent < 500; sent++) await connection.exchange(post(port, {}, '{}'))
    const file = join(folder, 'server.cpuprofile')
    const { busy, write } = await stop(file)

    expect(write).toBeGreaterThan(0)
    expect(busy).toBeGreaterThan(write)
    expect(sharesOf(JSON.parse(readFileSync(file, 'utf8')) as Profiler.Profile)).toEqual({ busy, write })
  })
})
