import { readFileSync } from 'node:fs'
import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1'
import { Deployment } from 'kubernetes-models/apps/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Service } from 'kubernetes-models/v1'
import { parseAllDocuments } from 'yaml'

/** The objects in `deploy/kubernetes.yaml`, keyed by kind. */
export interface Manifests {
  readonly deployment: Deployment
  readonly service: Service
  readonly route: HTTPRoute
  readonly budget: PodDisruptionBudget
}

/** Reads the manifests, and validates each against the schema of its kind. */
export function readManifests(): Manifests {
  const text = readFileSync(new URL('../../deploy/kubernetes.yaml', import.meta.url), 'utf8')
  const documents = parseAllDocuments(text).map((document) => document.toJS() as Record<string, unknown>)
  if (documents.length !== 4) throw new Error('The file has other objects than these four')
  const one = <Model extends { validate(): void }>(kind: {
    readonly kind: string
    new (data: never): Model
  }): Model => {
    const data = documents.find((document) => document['kind'] === kind.kind)
    const model = new kind(data as never)
    model.validate()
    return model
  }
  return {
    deployment: one(Deployment),
    service: one(Service),
    route: one(HTTPRoute),
    budget: one(PodDisruptionBudget),
  }
}

type Container = NonNullable<
  NonNullable<NonNullable<Deployment['spec']>['template']['spec']>['containers']
>[number]

/** Returns the deployment's only container. */
export function containerOf({ spec }: Deployment): Container {
  const [container, ...others] = spec?.template.spec?.containers ?? []
  if (container === undefined || others.length > 0) throw new Error('The pod has one container')
  return container
}
