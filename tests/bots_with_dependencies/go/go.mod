module with-module

go 1.21

require github.com/valyala/fastjson v1.6.4
