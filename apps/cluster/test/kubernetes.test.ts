import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { containerOf, readManifests } from './support/manifests.ts'
import { PUBLIC_URL } from './support/replicas.ts'

const { deployment, service, route, budget } = readManifests()
const container = containerOf(deployment)
const pod = deployment.spec?.template
const [port] = container.ports ?? []

it('the Service selects the pods and their port, without affinity', () => {
  expect(pod?.metadata?.labels).toMatchObject(deployment.spec?.selector.matchLabels ?? {})
  expect(pod?.metadata?.labels).toMatchObject(service.spec?.selector ?? { none: 'none' })
  expect(service.spec?.sessionAffinity).toBeUndefined()
  expect(service.spec?.ports).toEqual([{ name: 'http', port: 80, targetPort: port?.name }])
})

it('the route forwards paths under the public URL to the Service, without a time limit or affinity', () => {
  const { host, pathname } = new URL(PUBLIC_URL)
  expect(container.env).toContainEqual({ name: 'PUBLIC_URL', value: PUBLIC_URL })
  expect(route.spec?.hostnames).toEqual([host])
  expect(route.spec?.rules).toEqual([
    {
      matches: [pathname, '/sse', '/message'].map((value) => ({ path: { type: 'Exact', value } })),
      backendRefs: [{ name: service.metadata?.name, port: 80 }],
      timeouts: { request: '0s', backendRequest: '0s' },
    },
  ])
})

it('rollouts and node drains stop at most one pod at a time', () => {
  expect(deployment.spec?.replicas).toBeGreaterThan(1)
  expect(deployment.spec?.strategy?.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 })
  expect(budget.spec).toEqual({ maxUnavailable: 1, selector: deployment.spec?.selector })
})

it('the pod has only the permissions that it needs', () => {
  expect(pod?.spec).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  })
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  expect(container.resources).toMatchObject({ requests: { cpu: '250m' }, limits: { memory: '512Mi' } })
})

it('the file contains no secrets', () => {
  const secret = (name: string, key: string): object => ({
    name,
    valueFrom: { secretKeyRef: { name: 'mcp', key } },
  })
  expect(container.env).toContainEqual(secret('REDIS_URL', 'redis-url'))
  expect(container.env).toContainEqual(secret('STATE_KEYS', 'state-keys'))
})

it("the image runs the program with the pod's user and port", () => {
  const file = readFileSync(new URL('../deploy/Dockerfile', import.meta.url), 'utf8')
  const [, image = ''] = /:([\w./-]+:[\d.]+) \.$/m.exec(file.replace('-t ', ':')) ?? []
  expect(container.image).toBe(image)
  expect(file).toContain(`\nUSER ${pod?.spec?.securityContext?.runAsUser}\n`)
  expect(file).toContain(`\nEXPOSE ${port?.containerPort}\n`)
  expect(file).toContain('CMD ["node", "dist/node.js"]')
})
