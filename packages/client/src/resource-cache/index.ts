export {
  type CachedReadOptions,
  type CachedResources,
  cachedResources,
  type CachedResourcesOptions,
} from './cached-resources.ts'
export {
  type LoadResource,
  ResourceCache,
  type ResourceCacheOptions,
  type ResourceKey,
} from './resource-cache.ts'
