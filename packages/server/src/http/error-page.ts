import { html } from '@recordhub/protocol/html'
import type { HubError } from '../errors.ts'

/** What a person sees where a script would get JSON. */
export function errorPage(error: HubError, requestId: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${error.status} · Recordhub</title>
<link rel="stylesheet" href="/assets/error-page.css">
</head>
<body>
<main>
<h1>${error.status}</h1>
<p>${error.message}</p>
<p><a href="/dashboard">To the dashboard</a> · <a href="/sign-in">Sign in</a></p>
<p class="quiet">Request ${requestId}</p>
</main>
</body>
</html>
`.text
}
