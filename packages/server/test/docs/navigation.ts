/** The navigation of the docs site, by the task of the reader. Every file under docs/ must be in it. */
import { matchesGlob } from 'node:path'

export type NavigationGroup = { title: string; isCollapsed?: boolean; pages: string[] }

/** Paths or patterns, relative to the root of the repository. The title of a page is its first heading. */
const GROUPS: readonly NavigationGroup[] = [
  {
    title: 'Operate',
    pages: [
      'README.md',
      'docs/install.md',
      'deploy/README.md',
      'docs/operations.md',
      'docs/reliability.md',
      'docs/backup.md',
      'docs/upgrade.md',
      'docs/doctor.md',
      'docs/monitoring.md',
      'docs/alerts.md',
      'docs/configuration.md',
      'docs/errors.md',
      'docs/performance.md',
      'SECURITY.md',
      'docs/security.md',
      'CHANGELOG.md',
    ],
  },
  {
    title: 'Integrate a platform',
    pages: [
      'docs/platform-guide/README.md',
      'docs/platform-guide/[1-9]-*.md',
      'docs/platform-guide/reference.md',
      'docs/digests.md',
      'packages/platform-runner/README.md',
      'packages/platform-kit/README.md',
      'packages/platform-checker/package/README.md',
      'packages/protocol/README.md',
      'docs/conformance.md',
    ],
  },
  {
    title: 'Examples of platforms',
    isCollapsed: true,
    pages: ['docs/platform-guide/examples/README.md', 'docs/platform-guide/examples/*/README.md'],
  },
  {
    title: 'Read data',
    pages: ['docs/records-api.md', 'docs/reading.md', 'docs/sql-access.md'],
  },
  {
    title: 'Develop',
    pages: [
      'CONTRIBUTING.md',
      'docs/ARCHITECTURE.md',
      'docs/glossary.md',
      'packages/server/test/README.md',
      'packages/platform-checker/README.md',
      'packages/server/package/README.md',
    ],
  },
  { title: 'Decisions', isCollapsed: true, pages: ['docs/decisions/*.md'] },
]

/**
 * The groups with their existing files, each file in the first entry that matches it.
 * @returns `unknown`: entries that match no file.
 */
export function makeNavigation(paths: readonly string[]): {
  groups: NavigationGroup[]
  unknown: string[]
} {
  const unknown: string[] = []
  const listed = new Set<string>()
  const groups = GROUPS.map(({ pages, ...group }) => ({
    ...group,
    pages: pages.flatMap((entry) => {
      const found = paths.filter((path) => path === entry || matchesGlob(path, entry))
      if (found.length === 0) unknown.push(entry)
      const added = found.filter((path) => !listed.has(path))
      for (const path of added) listed.add(path)
      return added
    }),
  }))
  return { groups, unknown }
}
