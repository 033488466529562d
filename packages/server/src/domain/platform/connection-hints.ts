import type { ErrorCode } from '../../errors.ts'

type Hint = { cause: string; fix: string }

const HINTS: Partial<Record<ErrorCode, Hint>> = {
  source_url_invalid: {
    cause: 'The address was typed, or copied with a part that is not of the base URL.',
    fix: 'Copy the address from a browser that shows the platform, up to and without /api.',
  },
  source_key_invalid: {
    cause: 'A line break or a space was copied with the key.',
    fix: 'Copy the key again, without what surrounds it.',
  },
  platform_address_rejected: {
    cause: 'The address is in a private network, or begins with http://.',
    fix: 'Use an address that the hub may connect to. HUB_SOURCE_NETWORKS=any allows private networks, and HUB_SOURCE_SCHEMES=any allows http://. Cloud metadata addresses are always blocked.',
  },
  platform_unreachable: {
    cause: 'A wrong host or port, a platform that is not running, or a firewall.',
    fix: 'Test the address with curl on the machine of the hub.',
  },
  platform_certificate_invalid: {
    cause:
      'A certificate that has expired, is for another name, or was issued by a private certificate authority.',
    fix: 'Ask the owner of the platform to renew the certificate for the host of the base URL. For a private authority, set NODE_EXTRA_CA_CERTS to the file of its certificate and restart the hub.',
  },
  platform_timed_out: {
    cause:
      'An overloaded platform, or a firewall that discards the packets of the hub. For records, a database query without an index.',
    fix: 'Request the path with curl on the machine of the hub. If curl waits too, allow the address of the hub in the firewall, or ask the owner of the platform to make the endpoint faster. A pull waits longer than this test.',
  },
  platform_redirected: {
    cause: 'http:// instead of https://, a missing www, or a redirect to a sign-in page.',
    fix: 'Use the address of the redirect up to and without /api. If it is a sign-in page, ask the owner of the platform to exempt the endpoints of the hub from it.',
  },
  platform_rejected_key: {
    cause: 'The key of another system, or a proxy that removes the header X-PLATFORM-API-KEY.',
    fix: 'Ask the owner of the platform for the key that its hub endpoints expect.',
  },
  platform_path_missing: {
    cause:
      'The endpoint is not deployed yet, the route cache is outdated, or a path segment of the base URL is missing or superfluous.',
    fix: 'Compare the path with the address of an endpoint that the owner of the platform has tested.',
  },
  platform_failed: {
    cause: 'The platform failed to process the request.',
    fix: 'Ask the owner of the platform for the error in its log at this time.',
  },
  platform_throttled: {
    cause: 'A rate limit (in Laravel, the middleware throttle).',
    fix: 'Exempt these paths or the address of the hub, or try again later.',
  },
  platform_not_json: {
    cause: 'A sign-in page, an error page, or the warning page of a tunnel.',
    fix: 'Request the path with curl and the header Accept: application/json.',
  },
  platform_response_invalid: {
    cause: 'The endpoint was built for another format, or writes other text around its JSON.',
    fix: 'Compare the response with the integration guide: the names and types of its members, and whether it is complete and only JSON.',
  },
  platform_reports_failure: {
    cause: 'The platform noticed an error while it processed the request.',
    fix: 'Ask the owner of the platform for the error in its log at this time.',
  },
  platform_broke_off: {
    cause: 'A crash, a time limit or a memory limit while the platform generated the response.',
    fix: 'Ask the owner of the platform for the error in its log at this time, and raise the limit.',
  },
  platform_response_too_large: {
    cause: 'The endpoint responds with records or with debug output.',
    fix: 'The response to a ping or a manifest request should have a few kilobytes.',
  },
  platform_name_differs: {
    cause:
      'The address of another installation, or a platform_name that was changed after it was registered.',
    fix: 'Enter the base URL of the registered installation, or accept the new name in its settings.',
  },
}

/** The likely cause of an error of a platform, and the fix; empty without them. */
export function connectionHint(code: ErrorCode): Hint {
  return HINTS[code] ?? { cause: '', fix: '' }
}
