"""The page (web interface): HTML, a JSON API and server-sent events over HTTP, from the same process as gRPC.

| file | what it is |
|---|---|
| `server.py` `connections.py` | uvicorn inside the running event loop, its limits |
| `app.py` `security.py` | routes, errors, headers |
| `source.py` | what the page shows: a competition, or a tournament that `referee run` plays |
| `answers.py` | answers made once for all who ask, with ETags |
| `live.py` `live_tournament.py` `live_match.py` | streams made once for all who watch |
| `lines.py` | the same bytes written straight to the connections of all who watch |
| `api.py` `API.md` | the JSON API and its description |
| `metrics.py` | figures for Prometheus |
| `markup.py` `markdown.py` `links.py` | HTML in which text is never markup; addresses of pages |
| `pages/` | the pages |
| `play/` | a seat for a person |
| `static/` | styles and small ES modules, as they are |

Nothing here writes to the store.
"""
