module weir.bench/go

go 1.19
