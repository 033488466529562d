/** Builds the image from the Containerfile and a release. */
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Engine } from './container-engine.ts'
import { run } from './programs.ts'

export const IMAGE = 'localhost/recordhub'
const NODE_IMAGE = 'localhost/recordhub-node'
const BASE_IMAGE = 'localhost/recordhub-base'

export type BuiltImage = { megabytes: number; seconds: number; baseSeconds: number }

/** @throws Error if the folder does not contain exactly one package of the hub. */
export function findPackage(release: string): { path: string; version: string } {
  const [path, ...others] = globSync(join(release, 'recordhub-[0-9]*.tgz'))
  if (path === undefined || others.length > 0) {
    throw new Error(
      `${release} must contain one recordhub-<version>.tgz: npm run release -- --out ${release}`,
    )
  }
  return { path, version: basename(path, '.tgz').slice('recordhub-'.length) }
}

/** Builds the two base images from Debian's packages, unless they exist, and then the image of the hub. */
export async function buildImage(
  engine: Engine,
  deploy: string,
  release: string,
): Promise<BuiltImage> {
  const { version } = findPackage(release)
  const started = performance.now()
  const existing = await engine.buildah('images', '--format', '{{.Name}}')
  if (!existing.includes(NODE_IMAGE)) {
    await run('sh', [join(deploy, 'checks/base-images.sh'), ...engine.storage])
  }
  const begun = performance.now()
  await engine.buildah(
    'build',
    ...['--format=docker', '--isolation=chroot', '--network=host', '--no-cache'],
    ...['--build-arg', `NODE_IMAGE=${NODE_IMAGE}`, '--build-arg', `BASE_IMAGE=${BASE_IMAGE}`],
    ...['--build-arg', `VERSION=${version}`],
    ...['--file', join(deploy, 'Containerfile'), '--tag', IMAGE, release],
  )
  const bytes = await engine.podman('image', 'inspect', '--format', '{{.Size}}', IMAGE)
  return {
    megabytes: Math.round(Number(bytes) / 1e6),
    seconds: (performance.now() - begun) / 1000,
    baseSeconds: (begun - started) / 1000,
  }
}
