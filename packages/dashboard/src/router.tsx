/** The routes of the dashboard. Each page is loaded when it is first opened. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { NotFound } from './components/not-found.tsx'
import { PageError } from './components/page-error.tsx'
import { PageSkeleton } from './components/page-skeleton.tsx'
import { loadPage } from './lib/load-page.ts'
import { parseUrlState, type UrlState, writeUrlState } from './lib/url-state.ts'
import { formerActivity } from './pages/inbox/lists.ts'
import { Shell } from './shell/shell.tsx'

const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => loadPage(load), name)

const root = createRootRoute({
  component: Outlet,
  validateSearch: (search: UrlState): UrlState => search,
  notFoundComponent: NotFound,
})

const getParentRoute = () => root
const shell = createRoute({
  getParentRoute,
  path: '/dashboard',
  component: Shell,
  notFoundComponent: NotFound,
})
const inShell = () => shell
/** Remounts the page for another id, so that no form, dialog or result of the previous one stays open. */
const remountDeps = ({ params }: { params: { id: string } }) => params.id
const pages = [
  createRoute({
    getParentRoute: inShell,
    path: '/',
    component: lazyPage(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/platforms',
    component: lazyPage(() => import('./pages/platforms/platforms-page.tsx'), 'PlatformsPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/platforms/new',
    component: lazyPage(() => import('./pages/platforms/register-page.tsx'), 'RegisterPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/platforms/$id',
    remountDeps,
    component: lazyPage(() => import('./pages/platforms/platform-page.tsx'), 'PlatformPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/records',
    component: lazyPage(() => import('./pages/records/records-page.tsx'), 'RecordsPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/search',
    component: lazyPage(() => import('./pages/search/search-page.tsx'), 'SearchPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/pulls',
    component: lazyPage(() => import('./pages/pulls/pulls-page.tsx'), 'PullsPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/pulls/$id',
    remountDeps,
    component: lazyPage(() => import('./pages/pulls/pull-page.tsx'), 'PullPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/reverts',
    component: lazyPage(() => import('./pages/reverts/reverts-page.tsx'), 'RevertsPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/reverts/$id',
    remountDeps,
    component: lazyPage(() => import('./pages/reverts/revert-page.tsx'), 'RevertPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/inbox',
    component: lazyPage(() => import('./pages/inbox/inbox-page.tsx'), 'InboxPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/log',
    component: lazyPage(() => import('./pages/log/log-page.tsx'), 'LogPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/activity',
    beforeLoad({ search }) {
      throw redirect({ ...formerActivity(search), replace: true })
    },
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/guide',
    component: lazyPage(() => import('./pages/guide/guide-page.tsx'), 'GuidePage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings',
    beforeLoad({ search: { tab, ...search } }) {
      // The audit log was a tab of the settings.
      if (tab === 'audit') throw redirect({ to: '/dashboard/log', search: { tab, ...search } })
    },
    component: lazyPage(() => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
  }),
]

export const router = createRouter({
  routeTree: root.addChildren([shell.addChildren(pages)]),
  parseSearch: parseUrlState,
  stringifySearch: writeUrlState,
  defaultPendingComponent: PageSkeleton,
  defaultErrorComponent: PageError,
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
