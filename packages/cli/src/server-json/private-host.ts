import ipaddr from 'ipaddr.js'

/** Whether a host is reached from a private network only. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() !== 'unicast'
  return /(?:^|\.)(?:localhost|local|internal|home\.arpa|test|invalid)$/.test(host) || !host.includes('.')
}
