import ipaddr from 'ipaddr.js'

/** Returns whether a host can be reached only from a private network. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() !== 'unicast'
  return /(?:^|\.)(?:localhost|local|internal|home\.arpa|test|invalid)$/.test(host) || !host.includes('.')
}
