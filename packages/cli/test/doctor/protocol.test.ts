import { http } from '@jetway/client/http'
import { describe, expect, it } from 'vitest'
import { checkProtocol } from '../../src/doctor/protocol/protocol.ts'
import { insteadOf, jetway, opening, problems, scripted, type Scripted, serve } from './support/remote.ts'

const check = async (listener: Parameters<typeof serve>[0]) =>
  checkProtocol({ target: http(`${await serve(listener)}/mcp`), progress: () => {}, timeoutMs: 5_000 })

describe('checkProtocol', () => {
  it('finds all revisions that a healthy server supports', async () => {
    const findings = await check(jetway())
    expect(problems(findings)).toEqual([])
    expect(findings[0]).toMatchObject({
      check: 'revisions',
      evidence: 'answers 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05',
    })
  })

  it('reports progress for each additional connection', async () => {
    const progress: string[] = []
    const target = http(`${await serve(scripted({}))}/mcp`)
    await checkProtocol({ target, progress: (text) => progress.push(text), timeoutMs: 5_000 })
    expect(progress).toEqual(
      ['2026-07-28', '2025-06-18', '2025-03-26', '2024-11-05'].map((version) => `Connecting with ${version}`),
    )
  })

  it.each([
    ['2026-07-28', 'ok'],
    ['2025-11-25', 'ok'],
    ['2025-06-18', 'warning'],
  ] as const)('rates a server that supports only %s as %s', async (revision, verdict) => {
    const [first, ...others] = await check(jetway({ revisions: [revision] }))
    expect(first).toMatchObject({ check: 'revisions', verdict, evidence: `answers ${revision}` })
    expect(others.map(({ check: name, verdict: other }) => [name, other])).toEqual([
      ['unknown-revision', 'ok'],
    ])
  })

  it('finds the older revisions of a server that does not support the newest one', async () => {
    const findings = await check(scripted({}))
    expect(problems(findings)).toEqual([])
    expect(findings[0]?.evidence).toBe('answers 2025-11-25, 2025-06-18')
  })

  it.each<readonly [string, Scripted, object]>([
    [
      'repeats any proposed revision',
      { initialize: opening },
      {
        check: 'unknown-revision',
        verdict: 'fault',
        evidence: expect.stringContaining('1999-01-01 was answered with 1999-01-01'),
      },
    ],
    [
      'offers a revision and then answers with another',
      {
        initialize: (version) =>
          opening(
            version === '2025-11-25' ? '2025-11-25' : '2025-03-26' === version ? '2025-11-25' : '2025-03-26',
          ),
      },
      {
        check: 'unknown-revision',
        verdict: 'fault',
        evidence: expect.stringContaining('2025-03-26, which it does not speak'),
      },
    ],
    [
      'omits the revision for new clients',
      { initialize: (version) => opening(version === '2999-01-01' ? undefined : '2025-11-25') },
      {
        check: 'unknown-revision',
        verdict: 'fault',
        evidence: expect.stringContaining('2999-01-01 was answered with no protocolVersion'),
      },
    ],
    [
      'answers an unknown revision with an error',
      {
        initialize: (version) =>
          version > '2026' ? { code: -32000, message: 'Too new' } : opening('2025-11-25'),
      },
      {
        check: 'unknown-revision',
        verdict: 'warning',
        evidence: expect.stringContaining('error -32000: Too new'),
      },
    ],
    [
      'accepts requests in an unknown revision without a session',
      {
        discover: () => ({
          supportedVersions: ['2026-07-28'],
          capabilities: {},
          resultType: 'complete',
          ttlMs: 0,
          cacheScope: 'private',
        }),
      },
      {
        check: 'unknown-revision',
        verdict: 'fault',
        evidence: expect.stringContaining('server/discover with 2999-01-01'),
      },
    ],
    [
      'fails to answer initialize',
      { initialize: () => ({ code: -32603, message: 'No database' }) },
      { check: 'revisions', verdict: 'fault', evidence: expect.stringContaining('No database') },
    ],
    [
      'has only old revisions',
      { initialize: () => opening('2024-11-05') },
      { check: 'revisions', verdict: 'warning', evidence: 'answers 2024-11-05' },
    ],
  ])('reports a server that %s', async (_, broken, expected) => {
    expect(problems(await check(scripted(broken)))).toContainEqual(
      expect.objectContaining({ ...expected, advice: expect.any(String) }),
    )
  })

  it.each([
    ['2024-11-05', 'answer initialize with another revision'],
    ['server/discover', '-32601'],
  ])('reports a server that closes the connection on %s', async (part, advice) => {
    const findings = await check(insteadOf(part, (_, response) => response.destroy()))
    expect(problems(findings)).toMatchObject([
      {
        check: 'revisions',
        verdict: 'fault',
        evidence: expect.stringContaining(part),
        advice: expect.stringMatching(new RegExp(advice, 'i')),
      },
    ])
  })

  it('accepts an older server that replies to server/discover with 500', async () => {
    const findings = await check(insteadOf('server/discover', (_, response) => response.writeHead(500).end()))
    expect(problems(findings)).toEqual([])
  })

  it('skips a server that requires a token', async () => {
    const findings = await check((_, response) => response.writeHead(401).end())
    expect(findings).toEqual([
      { check: 'revisions', verdict: 'skipped', evidence: expect.stringContaining('--bearer-env') },
    ])
  })
})
