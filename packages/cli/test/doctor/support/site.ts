import type { Site } from '../../../src/doctor/http/site.ts'

/** Returns a server to examine. */
export const siteAt = (url: string, headers: Site['headers'] = {}, limits: Partial<Site> = {}): Site => ({
  url: new URL(url),
  headers,
  progress: () => {},
  replyMs: 5_000,
  firstBytesMs: 5_000,
  keepAliveMs: 5_000,
  ...limits,
})
